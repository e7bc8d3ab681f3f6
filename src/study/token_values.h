// What methods say of every token of a row, for pictures.
#pragma once

#include "draw/token_text.h"
#include "methods/attribution.h"
#include "methods/method.h"
#include "study/tokens.h"

namespace ascribe::core::study {

// A number for each position: what its own numbers received, or its player where the method speaks of players.
std::vector<std::optional<double>> token_values(const Method& method, const Attribution& attribution,
                                                const Players& players, const TokenRow& row);

std::vector<ColoredToken> colored_tokens(const Method& method, const Attribution& attribution, const Players& players,
                                         const TokenRow& row);

// The player of each position; -1: nobody, or several.
std::vector<int32_t> position_owners(const Players& players, const TokenRow& row);

}  // namespace ascribe::core::study
