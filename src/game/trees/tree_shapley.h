// Shapley values of trees, interventional: exact, for any number of players.
#pragma once

#include "base/progress.h"
#include "game/trees/leaf_games.h"

namespace ascribe::core {

// What the number that is explained of a row makes of a leaf: leaf_value[part][target][leaf], of the targets in use.
struct TreeReadout {
  std::vector<std::vector<std::vector<double>>> leaf_value;
  std::vector<int32_t> target;  // of each row, among those in use
};

// [rows, players]. The bits are the same for any number of threads.
std::vector<double> tree_shapley(const TreeGame& game, const TreeReadout& readout, const Progress& progress = {});

}  // namespace ascribe::core
