// Transposes that need no copy.
#pragma once

#include <optional>

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// The layout in which the memory of an operand is its transpose, of this shape; nothing: it has to be copied.
std::optional<LayoutPtr> turned_layout(const Operand& from, std::span<const int64_t> perm, const Shape& shape);

}  // namespace ascribe::core
