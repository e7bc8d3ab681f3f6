// The strongest interactions of any number of players as a network: a line for a pair, a star for a larger set, over
// the input image or with the players on a circle.
#pragma once

#include "report/effect_pictures.h"

namespace ascribe::core {

// `interactions`: effects of at least two players, the largest first; `errors`: half of their 95 % intervals, or empty;
// `told`: what the numbers are.
std::string network_svg(const EffectPictures& pictures, const std::vector<Effect>& interactions,
                        const std::vector<double>& errors, const std::string& told = "J(S)");
// Without words, for pages that have their own.
Svg network_drawing(const EffectPictures& pictures, const std::vector<Effect>& interactions);

// Their players in colour, an image for each set.
std::string sets_svg(const EffectPictures& pictures, const std::vector<Effect>& interactions,
                     const std::vector<double>& errors, const std::string& told = "J(S)");

}  // namespace ascribe::core
