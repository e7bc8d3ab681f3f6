// x times or plus one number for each row and channel, where x lies as convolutions like it: the gate of a
// squeeze-and-excitation block.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

// Null: another case.
std::unique_ptr<Kernel> make_channel_scale(const KernelRequest& request);

}  // namespace ascribe::core
