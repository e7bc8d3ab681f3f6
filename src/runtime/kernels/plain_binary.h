// add, sub, mul, div and gate with broadcasting between row-major operands, in either precision; also with a
// single value where the other operand is blocked without padding.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// Null: not a case for it.
std::unique_ptr<Kernel> make_plain_binary(const KernelRequest& request);

}  // namespace ascribe::core
