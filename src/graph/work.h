// How much work an operation is, roughly.
#pragma once

#include "graph/op.h"

namespace ascribe::core {

int64_t saturating_multiply(int64_t a, int64_t b);  // not negative; the largest number instead of an overflow

// Scalar operations per element of the output: what makes an operation dear is matrix products and windows.
int64_t work_per_element(const Op& op, std::span<const Shape> inputs, const Attributes& attributes);

}  // namespace ascribe::core
