// a + b with broadcasting.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_add {
namespace {

Value adjoint(const DerivativeRequest&, Value gradient) { return gradient; }

const RegisterOp add(with_adjoint(binary_number_op("add", OpClass::linear, "a + b",
                                                   [](auto a, auto b) { return wrapping(std::plus{}, a, b); },
                                                   {.sign = Sign::kept, .commutes = true}),
                                  adjoint));

}  // namespace
}  // namespace ascribe::core::op_add
