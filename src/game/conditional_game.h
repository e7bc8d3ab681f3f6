// The game with absent players as they could be, given the others (game/absence.h).
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "game/absence.h"
#include "game/masked_model.h"

namespace ascribe::core {

// How many background rows count for a coalition, (sum of weights)^2 / sum of their squares, over all that were asked
// about. It says how far values by a kernel can be relied on.
struct ConditionalUse {
  int64_t coalitions = 0;  // but those of nobody and of everybody
  double least = std::numeric_limits<double>::infinity(), sum = 0;
  int64_t same = 0;  // background rows that are x itself
};

inline constexpr int64_t kMostConditionalElements = 1024;  // whose covariance is fitted

// `input.baselines` are the background. Refuses, kind argument, too few rows or too many elements. `use` may be null.
Game conditional_game(const MaskedInput& input, const Absence& absence, RowFunction f,
                      std::shared_ptr<ConditionalUse> use);

// "between 3.1 and 256 of 256 background rows count for a coalition, on average 80"; empty: nothing to tell.
std::string to_words(const ConditionalUse& use, int64_t rows);

}  // namespace ascribe::core
