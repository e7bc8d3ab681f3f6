// Shapley values of a proxy of the game, a Gaussian process through the draws (odd_process.h), whose kernel they choose
// (odd_choice.h).
//   up to kTogether pairs   the process through all; standard errors are its own, in units of what it misses at draws
//                           that it is not shown
//   more                    a process for each part; what it misses on the other parts is shared out by the Shapley
//                           regression, and the results are averaged: each is shown draws that it has not seen
// The idea of a proxy that is corrected elsewhere: Witter et al., "Regression-adjusted Monte Carlo Estimators for
// Shapley Values and Probabilistic Values" (2025); that the odd half suffices: Fumagalli et al. 2026.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "game/estimators/odd_choice.h"
#include "game/estimators/shapley_estimators.h"

namespace ascribe::core {

namespace {

constexpr int64_t kTogether = 4096;    // pairs of one process: its covariance takes 128 MiB
constexpr int64_t kAskedAtOnce = 512;  // pairs at which a process is asked
constexpr double kMostNoise = 0.1;     // of a process through draws that are too many for the noise of some

double deviation(const std::vector<double>& y) {
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  double sum = 0;
  for (const double one : y) sum += (one - mean) * (one - mean);
  return std::sqrt(sum / static_cast<double>(y.size()));
}

// One process through all draws.
ShapleyEstimate of_one(const OddDraws& odd, const ChosenKernel& chosen) {
  OddKernel kernel = chosen.kernel;
  OddProcess process = odd.process(kernel, 0, std::ssize(odd.y));
  while (!process.solved() && kernel.noise < kMostNoise) {  // some of the draws were told apart, all are too many
    kernel.noise *= 10;
    process = odd.process(kernel, 0, std::ssize(odd.y));
  }
  if (!process.solved()) {
    fail(ErrorKind::numeric, "shapley", "the covariance of {} coalitions is singular", odd.y.size());
  }
  OddProcess::Shapley found = process.shapley();
  ShapleyEstimate result{std::move(found.values), {}, process.degrees_of_freedom()};
  for (const double variance : found.variances) {
    result.standard_errors.push_back(std::sqrt(variance * process.variance() * chosen.calibration));
  }
  return result;
}

// One for each part, and the regression of what it misses elsewhere.
ShapleyEstimate of_parts(const OddDraws& odd, const ChosenKernel& chosen, int64_t parts) {
  const int64_t n = odd.design.players, pairs = std::ssize(odd.y);
  ShapleyEstimate result{std::vector<double>(static_cast<size_t>(n), 0.0), {}, 0};
  std::vector<double> missed(odd.y.size(), 0.0);
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t from = part * pairs / parts, to = (part + 1) * pairs / parts;
    const OddProcess process = odd.process(chosen.kernel, from, to - from);
    if (!process.solved())
      fail(ErrorKind::numeric, "shapley", "the covariance of {} coalitions is singular", to - from);
    std::vector<double> weights = odd.design.weights, rest(odd.y.size(), 0.0);
    std::fill(weights.begin() + from, weights.begin() + to, 0.0);
    for (int64_t some = 0; some < pairs; some += kAskedAtOnce) {
      const int64_t count = std::min(kAskedAtOnce, pairs - some);
      const std::vector<double> expected = process.at(odd.rows(OddDraws::range(some, count)));
      for (size_t i = 0; i < expected.size(); ++i) {
        const size_t pair = static_cast<size_t>(some) + i;
        if (weights[pair] == 0) continue;
        rest[pair] = odd.y[pair] - expected[i];
        missed[pair] += rest[pair] / static_cast<double>(parts - 1);
      }
    }
    const OddRegression corrected = regress_odd(odd.design, weights, rest, 0);
    const std::vector<double> own = process.shapley().values;
    for (size_t i = 0; i < own.size(); ++i) {
      result.values[i] += (own[i] + corrected.values[i]) / static_cast<double>(parts);
    }
  }
  OddRegression all = regress_odd(odd.design, odd.design.weights, missed, 0);
  result.standard_errors = std::move(all.standard_errors);
  result.degrees_of_freedom = all.degrees_of_freedom;
  return result;
}

// Slopes for the weights of players; of few draws each player's mean.
std::vector<double> first_slopes(const OddDraws& odd) {
  if (odd.slopes) return regress_odd(odd.design, odd.design.weights, odd.y, 2 * odd.full).values;
  std::vector<double> slopes(static_cast<size_t>(odd.design.players), 0.0);
  const auto n = static_cast<size_t>(odd.design.players);
  const std::vector<double> rows = odd.rows(OddDraws::range(0, std::ssize(odd.y)));
  for (size_t k = 0; k < rows.size(); ++k) slopes[k % n] += rows[k] * odd.y[k / n];
  return slopes;
}

}  // namespace

ShapleyEstimate estimate_by_proxy(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players();
  if (n > kMostRegressed) {
    fail(ErrorKind::argument, "shapley", "a process over {} players takes too long; expected at most {}", n,
         kMostRegressed);
  }
  const PairedDesign design = paired_design(n, (request.budget - 2) / 2, request.seed);
  const PairedValues v = values_at(game, design, request.progress);
  OddDraws odd{design, {}, (v.full - v.empty) / 2, std::ssize(design.sets) >= n + n / 2};
  for (size_t i = 0; i < v.inside.size(); ++i) odd.y.push_back((v.inside[i] - v.outside[i]) / 2);
  std::vector<double> with_full = odd.y;
  with_full.push_back(odd.full);
  with_full.push_back(-odd.full);
  const double unit = deviation(with_full);
  ShapleyEstimate result;
  if (unit > 0 && std::isfinite(unit)) {
    for (double& one : odd.y) one /= unit;
    odd.full /= unit;
    const int64_t pairs = std::ssize(odd.y), most = std::max(kTogether, 3 * n);
    const ChosenKernel chosen = choose_kernel(odd, first_slopes(odd));
    result = pairs <= most ? of_one(odd, chosen) : of_parts(odd, chosen, (pairs + most - 1) / most);
  } else {  // a constant, or not a number anywhere
    result.values.assign(static_cast<size_t>(n), unit);
    result.standard_errors = result.values;
    result.degrees_of_freedom = 1;
  }
  result.empty = v.empty;
  result.full = v.full;
  // Rounding aside the values sum to the change already.
  double sum = 0;
  for (double& value : result.values) sum += value *= unit > 0 ? unit : 1;
  for (double& error : result.standard_errors) error *= unit > 0 ? unit : 1;
  for (double& value : result.values) value += (v.full - v.empty - sum) / static_cast<double>(n);
  return result;
}

}  // namespace ascribe::core
