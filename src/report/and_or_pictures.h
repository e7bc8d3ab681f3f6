// AND and OR effects as pictures and words.
#pragma once

#include <string>

#include "study/decompose.h"

namespace ascribe::core {

// "r0c1 and r2c3", "r0c1 or r2c3"
std::string words_of(const AndOrEffect& effect, const Players& players);

// The strongest as bars.
std::string and_or_svg(const study::DecomposeResult& result, const std::string& title);
std::string estimated_and_or_svg(const study::DecomposeResult& result, const std::string& title);
// Magnitudes from the largest to the smallest, beside those of AND alone: the sooner the line falls, the fewer effects
// say it all.
std::string strengths_svg(const study::DecomposeResult& result, const std::string& title);

}  // namespace ascribe::core
