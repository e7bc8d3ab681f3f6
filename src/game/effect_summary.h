// What people look at first in a decomposition: the independent effects, the strongest of all effects, sums by order.
#pragma once

#include <cstdint>
#include <vector>

#include "game/effects.h"

namespace ascribe::core {

struct OrderSummary : OrderShare {
  double rounding = 0;          // about what evaluation in this precision leaves in one effect of this order
  int64_t beyond_rounding = 0;  // effects that are larger
};

struct EffectSummary {
  int64_t players = 0, count = 0, evaluations = 0;
  int order = 0;  // effects of more players are not there
  double output = 0, baseline_output = 0;
  double remainder = 0;                // of a truncated decomposition what is left out, of an exact one rounding
  std::vector<double> independent;     // psi by player
  std::vector<OrderSummary> orders;    // 1, 2, ...
  std::vector<Effect> strongest;       // of all orders, largest magnitude first
  std::vector<Effect> pairs, triples;  // the strongest that are beyond rounding

  double change() const { return output - baseline_output; }
};

struct SummaryOptions {
  int64_t strongest = 20, pairs = 10, triples = 6;
  double epsilon = 0;  // of the arithmetic that evaluated the game: 2^-23 or 2^-52
};

// An effect of k players is a sum of 2^k evaluations with signs; their errors, taken as independent and of 4 epsilon
// of the larger of |f(x)| and |f(b)|, add up to 2^(k/2) times that.
EffectSummary summarize(const Dividends& dividends, const SummaryOptions& options);
EffectSummary summarize(const Effects& effects, const SummaryOptions& options);

}  // namespace ascribe::core
