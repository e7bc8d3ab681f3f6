// Coalitions for estimates of Shapley values, each with its complement: every size from 1 to n - 1 as often as any
// other (the leverage scores of the Shapley regression), within a size all alike, none twice; sizes that have few
// coalitions are used up, and the others get what is left.
// Source: Musco, Witter, "Provably Accurate Shapley Value Estimation via Leverage Score Sampling" (2025).
#pragma once

#include <cstdint>
#include <vector>

#include "game/game.h"

namespace ascribe::core {

struct PairedDesign {
  int64_t players = 0;
  std::vector<std::vector<int64_t>> sets;  // of each pair the smaller one, ascending; in random order
  std::vector<double> weights;             // the Shapley kernel of both over the expected number of draws
};

// As many pairs as asked for, or all there are.
PairedDesign paired_design(int64_t players, int64_t pairs, uint64_t seed);

// The game at a design: v(S) - v(0) of all sets and of their complements.
struct PairedValues {
  double empty = 0, full = 0;
  std::vector<double> inside, outside;
};
PairedValues values_at(Game& game, const PairedDesign& design, const Progress& progress);

}  // namespace ascribe::core
