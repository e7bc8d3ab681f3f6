// Sets of players: sums over them, and random ones.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace ascribe::core {

using PlayerSet = std::vector<int64_t>;  // players, by number

double sum_over(const PlayerSet& set, std::span<const double> values);

// Without replacement: `size` of `players`, in rising order; draw number `index`.
PlayerSet drawn_set(const Random& random, uint64_t index, int64_t players, int64_t size);

// A number of players: below 1 a share of all, otherwise the number itself. At least one; fails, kind argument, if
// there are not as many.
int64_t set_size(std::string_view metric, double given, int64_t players);

}  // namespace ascribe::core
