// x * tanh(log(1 + exp(x))).
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_mish {
namespace {

Value lower(Builder& b, std::span<const Value> in, const Attributes&) {
  return b.mul(in[0], b.op("tanh", {b.op("softplus", {in[0]})}));
}

const RegisterOp mish(with_lowering(unary_real_op("mish", OpClass::composite, "x * tanh(softplus(x))",
                                                  []<class T>(T x) {
                                                    const T softplus =
                                                        std::log1p(std::exp(-std::abs(x))) + (x > 0 ? x : T{0});
                                                    return x * std::tanh(softplus);
                                                  },
                                                  {.sign = Sign::kept}),
                                    lower));

}  // namespace
}  // namespace ascribe::core::op_mish
