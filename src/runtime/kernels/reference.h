// The fallback: an operation's reference `apply` on plain memory.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

std::unique_ptr<Kernel> make_reference_kernel(const KernelRequest& request);

}  // namespace ascribe::core
