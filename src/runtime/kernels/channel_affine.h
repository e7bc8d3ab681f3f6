// y = x * scale[c] + shift[c], then perhaps a relu, in one walk over a tensor whose channels lie in blocks or side by
// side: a BatchNorm that no convolution could absorb (in DenseNet it precedes the convolution). oneDNN computes the
// same with its reference code, fifty times slower.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// For mul and add with one constant per channel; null if the request is none.
std::unique_ptr<Kernel> make_channel_affine(const KernelRequest& request);

}  // namespace ascribe::core
