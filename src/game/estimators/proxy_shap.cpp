// Shapley values of a proxy of the game, a Gaussian process through the draws (odd_process.h). Players weigh by what a
// first regression finds; steepness, noise and these weights are those under which some of the draws are likeliest.
//   up to kTogether pairs   the process through all; standard errors are its own, in units of what it misses at draws
//                           that it is not shown
//   more                    a process for each part; what it misses on the other parts is shared out by the Shapley
//                           regression, and the results are averaged: each is shown draws that it has not seen
// The idea of a proxy that is corrected elsewhere: Witter et al., "Regression-adjusted Monte Carlo Estimators for
// Shapley Values and Probabilistic Values" (2025); that the odd half suffices: Fumagalli et al. 2026.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "game/estimators/odd_process.h"
#include "game/estimators/shapley_estimators.h"

namespace ascribe::core {

namespace {

constexpr int64_t kTogether = 4096;  // pairs of one process: its covariance takes 128 MiB
constexpr int64_t kTried = 512;      // pairs that choose the kernel
constexpr int kRounds = 20;          // of steps uphill
constexpr double kSteepest = 24;
constexpr double kLeast = 1e-3;  // a player's share of the largest weight

struct Odd {
  const PairedDesign& design;
  std::vector<double> y;  // in units of their standard deviation
  double full;            // y of everyone
  bool slopes;            // there are enough pairs to know them

  OddProcess process(OddKernel kernel, int64_t from, int64_t count) const {
    kernel.slopes = slopes;
    std::vector<double> values(y.begin() + from, y.begin() + from + count);
    values.push_back(full);
    return {kernel, rows(from, count, true), std::move(values)};
  }
  std::vector<double> rows(int64_t from, int64_t count, bool everyone) const {
    const int64_t n = design.players;
    std::vector<double> result(static_cast<size_t>((count + (everyone ? 1 : 0)) * n), -1.0);
    for (int64_t i = 0; i < count; ++i) {
      for (const int64_t p : design.sets[static_cast<size_t>(from + i)]) result[static_cast<size_t>(i * n + p)] = 1;
    }
    if (everyone) std::fill_n(result.end() - n, n, 1.0);
    return result;
  }
};

// Of what a player's slope is; all alike if there is none.
std::vector<double> weights_of(const std::vector<double>& slopes, double power) {
  double largest = 0, sum = 0;
  for (const double slope : slopes) largest = std::max(largest, slope * slope);
  std::vector<double> weights;
  for (const double slope : slopes) {
    weights.push_back(largest > 0 ? std::pow(slope * slope / largest + kLeast, power) : 1);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

struct Chosen {
  OddKernel kernel;
  double calibration = 1;
};

class Choice {
 public:
  Choice(const Odd& odd, int64_t tried) : odd_(odd), tried_(tried) {}

  Chosen best(const std::vector<double>& slopes) {
    for (const double power : {0.5, 0.0}) {
      const std::vector<double> weights = weights_of(slopes, power);
      for (const double steepness : {0.0, 0.5, 1.0, 2.0, 4.0, 8.0}) consider({weights, steepness, 1e-3});
    }
    if (!kernel_) return {{weights_of(slopes, 0), 1, 0.1}, 1};
    const OddKernel first = *kernel_;
    for (const double noise : {1e-8, 1e-6, 1e-5, 1e-4, 1e-2, 1e-1}) {
      consider({first.weights, first.steepness, noise});
    }
    // Less noise may let the third order alone, or all of them, explain more.
    const OddKernel second = *kernel_;
    for (const double steepness : {0.0, 1.0, 4.0}) consider({second.weights, steepness, second.noise});
    if (second.noise < 1e-4) consider({second.weights, 0, 1e-8});
    refine();
    const OddProcess process = odd_.process(*kernel_, 0, tried_);
    return {*kernel_, process.solved() ? process.calibration() : 1};
  }

 private:
  void consider(const OddKernel& kernel) {
    const OddProcess process = odd_.process(kernel, 0, tried_);
    if (!process.solved() || (kernel_ && !(process.log_likelihood() > likelihood_))) return;
    likelihood_ = process.log_likelihood();
    kernel_ = kernel;
  }

  // Weights and noise uphill, by steps that grow while they keep their direction. Players have few draws to tell what
  // they weigh, so weights far from the first ones must pay for it.
  void refine() {
    OddKernel kernel = *kernel_;
    if (kernel.steepness == 0) return;
    kernel.scale = 1 / std::sinh(kernel.steepness);
    const size_t n = kernel.weights.size();
    std::vector<double> moved(n + 1, 0.0), steps(n + 1, 0.2), before(n + 1, 0.0);
    const std::vector<double> first = kernel.weights;
    const double noise = kernel.noise;
    for (int round = 0; round < kRounds; ++round) {
      const OddProcess process = odd_.process(kernel, 0, tried_);
      if (!process.solved()) return;
      const double likelihood =
          process.log_likelihood() - std::inner_product(moved.begin(), moved.end() - 1, moved.begin(), 0.0) / 2;
      if (likelihood > likelihood_) {
        likelihood_ = likelihood;
        kernel_ = kernel;
      }
      std::vector<double> slope = process.gradient();
      if (slope.empty()) return;
      for (size_t i = 0; i <= n; ++i) {
        if (i < n) slope[i] -= moved[i];
        const double turn = slope[i] * before[i];
        if (turn > 0) steps[i] = std::min(1.0, steps[i] * 1.3);
        if (turn < 0) steps[i] *= 0.5;
        before[i] = slope[i];
        moved[i] += slope[i] > 0 ? steps[i] : slope[i] < 0 ? -steps[i] : 0;
        if (i < n) kernel.weights[i] = first[i] * std::exp(moved[i]);
      }
      moved[n] = std::clamp(moved[n], std::log(1e-9 / noise), std::log(1 / noise));
      kernel.noise = noise * std::exp(moved[n]);
      double sum = 0;
      for (const double weight : kernel.weights) sum += weight;
      if (!(sum * kernel.steepness < kSteepest)) return;  // beyond what the quadrature holds
    }
  }

  const Odd& odd_;
  int64_t tried_;
  std::optional<OddKernel> kernel_;
  double likelihood_ = 0;
};

double deviation(const std::vector<double>& y) {
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  double sum = 0;
  for (const double one : y) sum += (one - mean) * (one - mean);
  return std::sqrt(sum / static_cast<double>(y.size()));
}

// One process through all draws.
ShapleyEstimate of_one(const Odd& odd, const Chosen& chosen) {
  const OddProcess process = odd.process(chosen.kernel, 0, std::ssize(odd.y));
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
ShapleyEstimate of_parts(const Odd& odd, const Chosen& chosen, int64_t parts) {
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
    for (int64_t some = 0; some < pairs; some += kTried) {
      const int64_t count = std::min(kTried, pairs - some);
      const std::vector<double> expected = process.at(odd.rows(some, count, false));
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
std::vector<double> first_slopes(const Odd& odd) {
  if (odd.slopes) return regress_odd(odd.design, odd.design.weights, odd.y, 2 * odd.full).values;
  std::vector<double> slopes(static_cast<size_t>(odd.design.players), 0.0);
  const auto n = static_cast<size_t>(odd.design.players);
  const std::vector<double> rows = odd.rows(0, std::ssize(odd.y), false);
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
  Odd odd{design, {}, (v.full - v.empty) / 2, std::ssize(design.sets) >= n + n / 2};
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
    const Chosen chosen = Choice(odd, std::min(pairs, std::max(kTried, 3 * n))).best(first_slopes(odd));
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
