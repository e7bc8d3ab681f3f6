// The transpose of conv as a map of x, plus bias: every x[n, c, i] adds w[c, m, k] x[n, c, i]
// to out[n, m, i * stride - before + k * dilation]; w is [C, M / group, kernel...].
#include "graph/builder.h"
#include "graph/convolution.h"

namespace ascribe::core::op_conv_transpose {
namespace {

const RegisterOp conv_transpose(
    {.name = "conv_transpose",
     .op_class = OpClass::bilinear,
     .traits = {.sign = Sign::kept, .layer = LayerKind::conv},
     .formula = "out[n, m, i * stride - before + k * dilation] = bias[m] + sum of w[c, m, k] x[n, c, i]",
     .min_inputs = 2,
     .max_inputs = 3,
     .infer = [](const Signature& s) { return infer_convolution(s, true); },
     .apply = [](const Evaluation& e) { apply_convolution(e, true); },
     .adjoint = [](const DerivativeRequest& r, Value gradient) { return convolution_adjoint(r, gradient, true); }});

}  // namespace
}  // namespace ascribe::core::op_conv_transpose
