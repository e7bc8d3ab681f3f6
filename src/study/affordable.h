// The cost model: how many rows of the network methods and metrics ask about, and settings that fit into a time
// (study/budget.h). Whatever is too much is made smaller step by step, the most expensive first; what cannot be made
// smaller is left out. What the caller set stays.
#pragma once

#include "study/budget.h"
#include "study/choice.h"

namespace ascribe::core::study {

// For one question.
struct Passes {
  double forward = 0, gradient = 0;  // rows, and rows with their gradient

  double seconds(const Pace& pace) const { return forward * pace.forward + gradient * pace.gradient; }
};

// What is known of a model before its methods run.
struct Asking {
  const Players& players;
  int64_t baselines = 1;
  bool kinks = true;  // integrals need all their nodes
};

// Of methods of the caller's nothing is known: 0.
Passes passes_of(const Method& method, const Parameters& parameters, const Asking& asking);
bool integrates(const Method& method);     // along paths, with as many nodes as it may take
bool masks_players(const Method& method);  // asks about masked inputs only: which others may have asked about before

// One thing that can be made smaller.
struct Dial {
  std::vector<std::string> parts;                     // that it belongs to
  std::function<double()> seconds;                    // that it takes as it stands
  std::function<std::optional<std::string>()> lower;  // "samples=16": what it is now; nothing: it is as small as it can
};

// A step that was taken, "shapley: samples=16"; the last of each.
struct Lowered {
  std::vector<std::string> parts;
  std::string setting;

  std::string names() const;  // "a, b"
  std::string words() const;  // "with fewer samples (samples=16)"
};
// Of a part; empty: it was not lowered.
std::string setting_of(const std::vector<Lowered>& lowered, const std::string& part);

// Makes the most expensive smaller until all of it takes no more than that, or until nothing can be made smaller.
std::vector<Lowered> lower_to(double seconds, std::vector<Dial>& dials);

// Parameters of methods.
std::vector<Dial> dials_of(std::vector<ChosenMethod>& methods, const Asking& asking, const Pace& pace, double rows);

// Parameters of metrics, for this many methods. Only metrics that are known here have one.
Passes passes_of_metric(const Metric& metric, const Parameters& parameters, const Players& players, int64_t methods,
                        int64_t baselines);
std::vector<Dial> dials_of(std::vector<ChosenMetric>& metrics, const Players& players, int64_t methods,
                           int64_t baselines, const Pace& pace);

// Estimated effects: how many evaluations, at most `most`, take `available` seconds, when `few` took `seconds` and the
// network takes `each` for one of them. Looking for effects takes as long for each pair of them, at most. Doubled again
// and again, so that a clock that ticks a little otherwise tells the same; `few`: not even twice as many fit.
int64_t evaluations_again(int64_t few, double seconds, double each, double available, int64_t most);

}  // namespace ascribe::core::study
