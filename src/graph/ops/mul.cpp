// a * b with broadcasting.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_mul {
namespace {

Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.mul(gradient, r.inputs[1 - r.operand]); }

const RegisterOp mul(with_adjoint(binary_number_op("mul", OpClass::bilinear, "a * b",
                                                   [](auto a, auto b) { return wrapping(std::multiplies{}, a, b); },
                                                   {.sign = Sign::kept, .commutes = true}),
                                  adjoint));

}  // namespace
}  // namespace ascribe::core::op_mul
