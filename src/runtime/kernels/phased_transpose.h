// Transposed convolutions with a stride and few output channels in float32, such as the gradient of a network's first
// layer: all s x s phases of the result at once, as the channels of one convolution of stride 1.
#pragma once

#include <memory>

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// Null where it does not apply or would not pay.
std::unique_ptr<Kernel> make_phased_transpose(const KernelRequest& request);

}  // namespace ascribe::core
