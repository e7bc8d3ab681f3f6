// Allocation per set: how much of the effect J(S) of every set S of players an attribution gives to player i,
//   a(i <- J(S)) = sum over T in S of (-1)^(|S| - |T|) a_i(x_T),
// x_T the input with the players outside of T at the baseline: the Moebius transform of the attribution over masked
// inputs (docs/howto/audit.md). It requires nothing of the method, so it works for a user's own; for a method with
// weights w(i, S) it is w(i, S) J(S). With several baselines, masking and explaining use one at a time, and the mean is
// taken; a method that draws baselines is asked for its draws, and each of them is one.
//
// Every number comes with its error: errors of single attributions (standard errors, what an integral missed, rounding)
// add up over the subsets of S as independent ones do, by their squares.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "methods/method.h"

namespace ascribe::core {

// Sets are numbers whose bits are their players.
struct SetAllocation {
  int players = 0;
  std::vector<double> values;         // a(i <- J(S)) at i * 2^m + S; S = 0: what i is given with every player masked
  std::vector<double> effects;        // J(S); entry 0: f(b)
  std::vector<double> errors;         // of the values; empty: none
  std::vector<double> effect_errors;  // of the effects, by rounding; empty: none
  bool exact = true;                  // false: some of the attributions were sampled, or missed their tolerance
  bool errors_known = true;           // false: something was sampled, and nobody said how far it may be off
  std::string doubt;                  // what the errors come from, most of all
  std::string baselines;              // those that the method drew; empty: the question's
  int64_t attributions = 0;
  int64_t evaluations = 0;  // rows that went through the network
  std::vector<std::string> notes;

  size_t sets() const { return effects.size(); }
  double operator()(int player, uint64_t set) const { return values[static_cast<size_t>(player) * sets() + set]; }
  double error(int player, uint64_t set) const {
    return errors.empty() ? 0 : errors[static_cast<size_t>(player) * sets() + set];
  }
  double given(uint64_t set) const;         // to all players together
  std::vector<double> attribution() const;  // per player: the sum over all sets
  double baseline_output() const { return effects[0]; }
  double change() const;  // f(x) - f(b): the sum of all effects but that of no player
};

// The question that the method answers: with the baselines that it draws, if it does.
struct JudgedQuestion {
  Question question;
  Parameters parameters;
  std::string baselines;  // as SetAllocation::baselines
};
JudgedQuestion judged_question(const Method& method, const ExplainedModel& model, const Question& question,
                               const Parameters& parameters, uint64_t seed);

// A method of anybody's: values per player for each question.
using Explainer = std::function<std::vector<std::vector<double>>(std::span<const Question>)>;

// Standard errors, or misses of an integral, that an error is taken for.
inline constexpr double kSureOfErrors = 3;

inline constexpr int kMostAllocatedPlayers = 12;
inline constexpr int64_t kMostAllocatedAttributions = int64_t{1} << 16;

// How many attributions it takes: 2^m for each baseline. Refuses, kind argument, more players or attributions than the
// limits above.
int64_t cost_of_allocation(const Question& question);

SetAllocation allocation_per_set(const Method& method, ExplainedModel& model, const Question& question,
                                 const Parameters& parameters, uint64_t seed = 0, const Progress& progress = {});
// Two runs with other draws: how far apart they are is the error of the first.
void take_errors_from(SetAllocation& allocation, const SetAllocation& again);
SetAllocation allocation_per_set(const Explainer& explainer, ExplainedModel& model, const Question& question,
                                 const Progress& progress = {});

// The question with the players outside of `present` (bits) at baseline number `baseline`, which is its only one.
Question masked_question(const ExplainedModel& model, const Question& question, int64_t baseline, uint64_t present);

}  // namespace ascribe::core
