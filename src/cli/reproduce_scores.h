// A metric of all fourteen methods over many images, against the number of principles that each satisfies: what the
// two halves of the paper's Figure 5 share. The number of principles is measured (principle_counts.h).
#pragma once

#include <string>
#include <vector>

#include "cli/principle_counts.h"
#include "cli/reproduce_samples.h"
#include "metrics/evaluation.h"
#include "report/scatter.h"

namespace ascribe::core {

// How methods are run and scored.
struct ScorePlan {
  std::vector<std::string> settings;  // of methods: METHOD.KEY=VALUE
  std::vector<std::string> metrics;   // the first is the one that the figure shows
  std::string players;
  AskedClass asked = AskedClass::predicted;
  bool objects = false;  // the metrics need to know where objects are
  double largest = 1;    // objects that cover this share of the image or more are left out
};

// For Prediction Difference and Expected Gradients, which average over baselines: draws of b + N(0, sigma^2).
inline constexpr double kBaselineSigma = 0.1;
inline constexpr int64_t kBaselineDraws = 4;

nlohmann::ordered_json as_json(const ScorePlan& plan);
std::string plan_in_words(const ScorePlan& plan);  // a paragraph of Markdown

struct ScoredMethod {
  const Method& method;
  int principles = 0;
  std::vector<Summary> summaries;  // per metric
  std::string left_out;            // why it has none
};

struct ScoredNetwork {
  std::string name;
  int64_t images = 0, correct = 0, too_large = 0, without_box = 0;
  double covered = 0;  // mean share of the image that the object has: what chance gets
  std::vector<ScoredMethod> methods;
};

// Goes on from the journal of an earlier run. Times and notes go to `made`.
ScoredNetwork score_network(const PaperRun& run, const Network& network, const ScorePlan& plan, Dataset& data,
                            Reproduced& made);

// One line per method, and one per number of principles.
std::string method_table(const ScoredNetwork& network, const ScorePlan& plan, double unit);
std::string group_table(const ScoredNetwork& network, const ScorePlan& plan, double unit);
std::string scores_csv(const std::vector<ScoredNetwork>& networks, const ScorePlan& plan);
std::string left_out_text(const ScoredNetwork& network);

ScatterPanel panel_of(const ScoredNetwork& network, double unit);

}  // namespace ascribe::core
