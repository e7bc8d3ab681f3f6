// How well a function does at coalitions that it was not fitted to.
#pragma once

#include <span>

#include "game/sparse/effect_estimator.h"

namespace ascribe::core {

// R2 = 1 - mean (value - predicted)^2 / mean (value - mean)^2, with the standard error of that ratio.
HeldOut held_out_fit(std::span<const double> values, std::span<const double> predicted);

}  // namespace ascribe::core
