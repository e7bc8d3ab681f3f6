// The spectrum of interaction strength as a picture.
#pragma once

#include <string>

#include "study/evaluate.h"

namespace ascribe::core {

// Needs a result with a spectrum.
std::string spectrum_svg(const study::EvaluateResult& result);

}  // namespace ascribe::core
