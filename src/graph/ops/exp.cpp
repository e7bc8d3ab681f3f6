// Exponential function.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_exp {
namespace {

Value derivative(const DerivativeRequest& r) { return r.output; }

const RegisterOp exp_op(with_derivative(unary_real_op("exp", OpClass::elementwise, "exp(x)",
                                                      []<class T>(T x) { return std::exp(x); },
                                                      {.sign = Sign::never_negative, .rises = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_exp
