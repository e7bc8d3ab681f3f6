// 3 x 3 convolutions of stride 1 in float32 by Winograd's minimal filtering F(2 x 2, 3 x 3): 16 multiplications where
// a direct convolution takes 36, for AVX2 and AVX-512.
#pragma once

#include <memory>

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// Null where it does not apply or would not pay. Takes conv and conv_transpose, which is a convolution with the
// weights turned around. The choice does not depend on the number of rows.
std::unique_ptr<Kernel> make_winograd(const KernelRequest& request);

}  // namespace ascribe::core
