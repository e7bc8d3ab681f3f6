// Effects of games of many players, from few evaluations: the strong ones are few, and can be found. An estimator asks
// the game for some coalitions, finds the sets that matter and fits their dividends
//   v(S) = constant + sum over T inside S of a(T),
// and says how far that can be believed: a standard error for each, and what is missed at coalitions that it was not
// shown. One file per estimator in game/sparse; docs/theory/sparse-effects.md.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/registry.h"
#include "game/effects.h"

namespace ascribe::core {

inline constexpr int kMostSparseOrder = 12;  // an effect of k players has 2^k Walsh coefficients
inline constexpr int64_t kMostSparsePlayers = 16383;

// What is known of a game before it is asked.
struct SparseHints {
  struct Candidate {
    std::vector<int> set;
    double weight = 1;  // the larger ones are looked at first
  };
  std::vector<Candidate> candidates;         // sets that may well have an effect: from gradients, Hessians
  std::function<bool(int, int)> never_meet;  // true: no set with both of them has an effect (receptive fields)
};

// Whether a set may have an effect.
bool may_meet(const SparseHints& hints, std::span<const int> set);

struct SparseRequest {
  std::string estimator = "proxy";
  int64_t budget = 20000;  // evaluations; fewer than an estimator needs are refused, with their number
  uint64_t seed = 0;
  double aim = 0;         // stop when 1 - R2 on held-out coalitions is at most this; 0: no aim
  int largest_order = 0;  // 0: kMostSparseOrder, or the number of players
  SparseHints hints;
  Progress progress;
};

// How well the recovered function does at coalitions that were drawn anew and never used for fitting.
struct HeldOut {
  int64_t coalitions = 0;
  bool defined = false;  // false: all of their values are alike, and there is nothing to explain
  double r2 = 0;
  double r2_error = 0;  // one standard error
  double rmse = 0;      // root of the mean squared miss, in units of the game
  double spread = 0;    // standard deviation of the values
};

enum class SparseStop { budget, aim, all_found };
std::string to_string(SparseStop stop);  // "the budget is spent", ...

struct SparseEstimate {
  std::string estimator;
  // By size, then in the order of the sets. `remainder` is what they leave of the change. They are those of a game of
  // few effects; a dividend that is not listed is estimated as 0.
  Effects effects;
  std::vector<double> standard_errors;  // one per effect
  double degrees_of_freedom = 0;        // of the standard errors
  // Of the effects with each other, [effects, effects]; for errors of sums of them.
  std::vector<double> covariance;
  double constant = 0;           // the recovered function's value at the empty coalition
  std::vector<uint8_t> doubted;  // one per effect: the draws do not tell its set from another one
  HeldOut held_out;
  bool explained_defined = false;  // false: f(x) = f(b)
  double explained = 0;            // sum of the effects / (f(x) - f(b))
  SparseStop stop = SparseStop::budget;
  int64_t evaluations = 0;
  std::vector<std::string> notes;

  double at(std::span<const uint64_t> coalition) const;  // the recovered function, S as words of bits
  // The standard error of sum of weights * effects, one weight per effect.
  double error_of(std::span<const double> weights) const;
};

// The same function in other words, exactly: coefficients of all sets inside of one of the effects.
//   fourier   v(S) = sum over T of F(T) prod over i in T of (1 - 2 [i in S]);   F(T) = (-1)^|T| sum a(R) 2^-|R|, R over
//   T banzhaf   the Banzhaf interaction index: sum of a(R) 2^-(|R| - |T|) = (-2)^|T| F(T) moebius   the dividends
struct SparseSpectrum {
  std::vector<Effect> coefficients;  // by size, then in the order of the sets; the empty set first
  std::vector<double> standard_errors;
};
SparseSpectrum spectrum_of(const SparseEstimate& estimate, const std::string& basis);

struct EffectEstimator {
  std::string name, title, source;
  std::string good_for;  // one line
  SparseEstimate (*estimate)(Game& game, const SparseRequest& request) = nullptr;
  int64_t (*least_budget)(int64_t players, int largest_order) = nullptr;
};

using EffectEstimatorRegistry = Registry<EffectEstimator>;

struct RegisterEffectEstimator {
  explicit RegisterEffectEstimator(EffectEstimator estimator);
};

const EffectEstimator& effect_estimator_named(const std::string& name);  // kind argument, with the names there are

// Refuses what no estimator can do, then asks the one that is named. The same seed gives the same bits for any number
// of threads.
SparseEstimate estimate_sparse(Game& game, const SparseRequest& request);

// The request with what it leaves open filled in; refuses what no estimator can do, and a smaller budget than the
// least.
SparseRequest checked_request(const Game& game, const SparseRequest& request, int64_t least_budget);

}  // namespace ascribe::core
