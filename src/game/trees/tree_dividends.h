// Dividends of trees: exact, of any order, for any number of players.
#pragma once

#include "base/progress.h"
#include "game/effects.h"
#include "game/trees/leaf_games.h"

namespace ascribe::core {

// The dividends of at most `order` players (0: of all) that the games have; those of all other sets are 0. `output` and
// `baseline_output` are taken over. Refuses, kind argument, more than `most` of them.
Effects tree_dividends(const std::vector<LeafGame>& games, int64_t players, int order, int64_t most, double output,
                       double baseline_output);

// At most so many there may be.
double tree_dividend_count(const std::vector<LeafGame>& games, int64_t players, int order);

// The same as a table of all sets, for few players.
Dividends as_table(const Effects& effects);

}  // namespace ascribe::core
