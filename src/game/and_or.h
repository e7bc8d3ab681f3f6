// AND-OR effects: the game written with as little strength as possible, as conjunctions and disjunctions of players.
//   v(S) = v(empty) + sum over T inside S of I_and(T) + sum over T that meet S of I_or(T),   T not empty
// An AND effect appears when all of its players are there, an OR effect when one of them is. v = v_and + v_or can be
// split in any way; the one taken has the least sum of all |I_and(T)| + |I_or(T)| (Li, Zhang 2023; Zhou et al. 2024).
// AND and OR of a single player are the same thing, so singles are counted once, as AND. docs/theory/and-or.md
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "game/effects.h"

namespace ascribe::core {

inline constexpr int kMostAndOrPlayers = 12;       // the table takes 134 MB
inline constexpr int kUsualMostAndOrPlayers = 10;  // seconds; every further player takes about 15 times as long

// Both lists have 2^m entries; index: a set as bits. and_effects[0] is f(b), or_effects[0] and those of singles are 0.
struct AndOr {
  int players = 0;
  std::vector<double> and_effects, or_effects;
  double strength = 0;                 // the sum of all magnitudes
  double bound = 0;                    // no split has less strength; equal to it up to rounding if optimal
  double and_alone = 0, or_alone = 0;  // the strength if all effects are AND (the dividends), or OR
  bool optimal = false;                // false: stopped early; still no stronger than AND or OR alone
  int64_t steps = 0;

  double gap() const { return strength > 0 ? (strength - bound) / strength : 0; }
};

// The game's values from its effects, by set: the inverse, for whoever wants to see that nothing is lost.
std::vector<double> values_of(const AndOr& split);

// At most `most_steps` of the simplex method; 0: as many as it takes (thousands for ten players, and each of them
// walks through a table of 4^m numbers). Refuses more than kMostAndOrPlayers.
AndOr and_or_effects(const Dividends& dividends, int64_t most_steps = 0, const Progress& progress = {});

// The OR effects that a game has without any AND: I_or(T) = - sum over L inside T of (-1)^(|T| - |L|) v(N without L).
std::vector<double> or_dividends(const Dividends& dividends);

struct AndOrEffect : Effect {
  bool disjunction = false;  // OR
};
// Those beyond rounding, the largest first, at most so many.
std::vector<AndOrEffect> strongest(const AndOr& split, int64_t most);

// How many effects there are whose magnitude is at least this share of the strongest dividend's, which is the same
// measure for both.
struct AndOrCount {
  double share = 0;
  int64_t and_or = 0, and_alone = 0;
};
AndOrCount count_above(const AndOr& split, const Dividends& dividends, double share);

// Numbers in the table of the simplex method.
int64_t and_or_table_size(int64_t players);

}  // namespace ascribe::core
