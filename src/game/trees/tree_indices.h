// Interaction indices of trees: exact, for any number of players, in closed form for each leaf.
#pragma once

#include "game/interaction_index.h"
#include "game/trees/leaf_games.h"

namespace ascribe::core {

// I(S) of the sets of at most `order` players that the games have; of all other sets it is 0. Refuses an order that
// the index does not have and, kind argument, work for more than `most` sets.
Effects tree_index(const InteractionIndex& index, const std::vector<LeafGame>& games, int64_t players, int order,
                   int64_t most, double output, double baseline_output);

}  // namespace ascribe::core
