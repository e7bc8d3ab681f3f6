// What conv and conv_transpose share. Both join a fine and a coarse array through
// fine = coarse * stride - before + tap * dilation: conv reads the fine one and writes
// the coarse one, conv_transpose the other way round.
#pragma once

#include "graph/graph.h"
#include "graph/window.h"

namespace ascribe::core {

// Checks the operands x, w [, bias] and their channels; the type of the result.
Type infer_convolution(const Signature& signature, bool transposed);

// The reference: obvious loops over channels and taps, summed in double (integers: wrapping around).
void apply_convolution(const Evaluation& evaluation, bool transposed);

// The transpose, for each of the operands x, w and bias.
Value convolution_adjoint(const DerivativeRequest& request, Value gradient, bool transposed);

// Attributes of the conv_transpose that spreads the windows of these axes over their input.
Attributes transposed_attributes(const Window& window, int64_t groups);

}  // namespace ascribe::core
