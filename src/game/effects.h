// The output taken apart (Proposition 1 and Theorem 1 of the paper; docs/theory/effects.md): independent effects psi(i)
// and interaction effects J(S) of the players, which are the Harsanyi dividends of the masked model:
//   f(x) = f(b) + sum over i of psi(i) + sum over |S| >= 2 of J(S).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "game/game.h"

namespace ascribe::core {

struct Effect {
  std::vector<int> support;  // players, ascending
  std::vector<int> degree;   // of each of them, for Taylor effects; empty for dividends
  double value = 0;
};

// A list of effects, in the order of their sets, and what it leaves out.
struct Effects {
  int64_t players = 0;
  int order = 0;  // effects of more players than this are left out (dividends), or of a higher degree (Taylor)
  double output = 0, baseline_output = 0;
  std::vector<Effect> effects;
  double remainder = 0;  // output - baseline_output - sum of the effects
  int64_t evaluations = 0;

  double change() const { return output - baseline_output; }
};

// All 2^m dividends; index: a set as bits. Entry 0 is f(b).
struct Dividends {
  int players = 0;
  std::vector<double> values;
  double residual = 0;  // of Proposition 1: f(x) - f(b) - sum of all effects, rounding only
  int64_t evaluations = 0;
};

inline constexpr int kMostExactPlayers = 24;

// What an exact decomposition takes: 2^m evaluations and as many doubles.
struct ExactCost {
  double evaluations = 0;
  double bytes = 0;
};
ExactCost cost_of_exact(int64_t players);

// Refuses, with the cost, more players than kMostExactPlayers unless forced, or more memory than the budget.
Dividends exact_dividends(Game& game, size_t memory, bool force = false, const Progress& progress = {});

// All dividends of at most `order` players, for any number of players: sum over k <= order of C(m, k) evaluations.
// Refuses more than `most` of them with the cost stated.
Effects truncated_effects(Game& game, int order, int64_t most, const Progress& progress = {});

// The dividends as a list, without the empty set.
Effects as_effects(const Dividends& dividends);

// Strength by number of players: sum and sum of absolute values of the effects of each size.
struct OrderShare {
  int order = 0;
  int64_t count = 0;
  double sum = 0, absolute = 0;
};
std::vector<OrderShare> shares_by_order(const Effects& effects);

}  // namespace ascribe::core
