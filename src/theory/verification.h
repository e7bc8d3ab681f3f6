// Methods against their allocation rules (docs/howto/verify.md; the paper's Table 4):
//   E = mean over x of |a - a*| / |a*|
// with a* the method as it runs, in double, and a the rule applied to all effects of order <= K at a baseline
// b = x + N(0, sigma^2). Both sides use the same draws of baselines and the same orders of the players.
//
// The effects are summed without listing them (order_sums.h). With few players they are also listed one by one, and
// rules that depend on the support only are applied to the dividends, without truncation and at any distance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "derivatives/convergence.h"
#include "methods/method.h"
#include "theory/allocation.h"
#include "theory/rule_by_order.h"

namespace ascribe::core {

struct VerificationOptions {
  std::vector<std::string> methods = {};  // empty: all that can be verified; see verifiable_methods
  std::vector<double> sigmas = {0.03, 0.1, 0.5};
  std::vector<int> orders = {2, 3, 4, 6, 8};
  int64_t draws = 4;          // baselines, for methods that average over a distribution of them
  int64_t permutations = 4;   // for Shapley values of more players than kExactPlayers: two orders and their reverses
  int64_t window = 2;         // of occlusion_patch, in pixels; larger if it would cut through players
  int64_t most_terms = 6000;  // that are listed one by one, of few players
  uint64_t seed = 0;
};

inline constexpr int64_t kExactPlayers = 16;  // up to so many, coalitions and dividends are complete

struct OrderError {
  int order = 0;
  Mean inside;  // over the inputs whose series converges
  Mean all;     // over all of them, whatever it means
};

// One method at one sigma.
struct FittingError {
  std::string method;
  double sigma = 0;
  bool sums_a_series = true;  // false: a single order, which has no radius of convergence
  std::vector<OrderError> orders;
  int64_t inputs = 0, inside = 0;
  SeriesCounts series;  // of the inputs; none if no series is summed

  // With few players; the largest over the inputs.
  int listed_order = 0;             // terms were listed up to this order; 0: not at all
  double listed_difference = 0;     // of sums over orders from listed terms, relative to the magnitudes that were added
  std::optional<double> dividends;  // |a - a*| / |a*| of the rule applied to the dividends
};

// Why there is no number: "diverges", "kinks", "not decided", or what there is of them. Empty if some input is inside.
std::string outcome(const FittingError& error);

// How the Taylor series of one input behaves on the way from its baseline. Kinks count wherever a method looks: before
// masked inputs, and along the path to x.
struct InputSeries {
  double radius = 0;  // the smallest over several coalitions; x is at distance 1
  Series series = Series::converges;
};

struct SigmaResult {
  double sigma = 0;
  std::vector<InputSeries> inputs;         // from the first baseline of each
  std::vector<InputSeries> all_baselines;  // the worst of the draws, for methods that average over them
  std::vector<FittingError> methods;
};

struct VerificationResult {
  int64_t players = 0;
  std::map<std::string, std::map<std::string, std::string>> parameters;  // of each method, where not its defaults
  std::vector<SigmaResult> sigmas;
  std::vector<std::string> notes;
};

// Those that expand the model as a whole and whose sums over orders are known, in the order of the paper.
std::vector<std::string> verifiable_methods();

// The questions need no baselines. The model must compute in double.
VerificationResult verify_methods(ExplainedModel& model, std::span<const Question> questions,
                                  const VerificationOptions& options, const Progress& progress = {});

}  // namespace ascribe::core
