// out[n, m, o] = bias[m] + sum over c, k of w[m, c, k] x[n, c, o * stride - before + k * dilation]
// for any number of spatial axes; w is [M, C / group, kernel...]. In groups, the channels
// m of group g see only the channels c of group g.
#include "graph/builder.h"
#include "graph/convolution.h"

namespace ascribe::core::op_conv {
namespace {

const RegisterOp conv({.name = "conv",
                       .op_class = OpClass::bilinear,
                       .traits = {.windowed = true, .sign = Sign::kept, .layer = LayerKind::conv},
                       .formula = "bias[m] + sum over c, k of w[m, c, k] x[n, c, o * stride - before + k * dilation]",
                       .min_inputs = 2,
                       .max_inputs = 3,
                       .infer = [](const Signature& s) { return infer_convolution(s, false); },
                       .apply = [](const Evaluation& e) { apply_convolution(e, false); },
                       .adjoint = [](const DerivativeRequest& r,
                                     Value gradient) { return convolution_adjoint(r, gradient, false); }});

}  // namespace
}  // namespace ascribe::core::op_conv
