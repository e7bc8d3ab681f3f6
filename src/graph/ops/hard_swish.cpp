// x * clip(x / 6 + 1/2, 0, 1).
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_hard_swish {
namespace {

Value lower(Builder& b, std::span<const Value> in, const Attributes&) {
  const Value gate = b.add(b.mul(in[0], 1.0 / 6), 0.5);
  return b.mul(in[0], b.op("clip", {gate}, {{"min", reals({0})}, {"max", reals({1})}}));
}

const RegisterOp hard_swish(with_lowering(unary_real_op("hard_swish", OpClass::composite, "x * clip(x / 6 + 1/2, 0, 1)",
                                                        []<class T>(T x) {
                                                          const T gate = x / 6 + T{0.5};
                                                          return x * (gate < 0 ? T{0} : gate > 1 ? T{1} : gate);
                                                        },
                                                        {.sign = Sign::kept}),
                                          lower));

}  // namespace
}  // namespace ascribe::core::op_hard_swish
