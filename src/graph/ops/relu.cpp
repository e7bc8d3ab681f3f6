// max(x, 0). NaN stays NaN; at 0 the constant is chosen.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_relu {
namespace {

Value lower(Builder& b, std::span<const Value> in, const Attributes&) { return b.op("gate", {in[0], in[0]}); }

// The output is positive exactly where x is, and only one of them need be kept.
Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.op("gate", {gradient, r.output}); }

const RegisterOp relu(with_adjoint(with_choice(unary_number_op("relu", OpClass::selection, "max(x, 0)",
                                                               []<class T>(T x) { return x <= 0 ? T{0} : x; },
                                                               {.sign = Sign::never_negative, .rises = true}),
                                               lower),
                                   adjoint));

}  // namespace
}  // namespace ascribe::core::op_relu
