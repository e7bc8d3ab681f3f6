// Layouts under which a transposed value is the same memory.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// [N, spatial..., C] in memory, for a value of this shape [N, C, spatial...]; null if that is row-major, or if the rank
// is not that of a convolution's operand.
LayoutPtr channels_last_layout(const Shape& shape);

}  // namespace ascribe::core
