// x * sigmoid(x), also called swish.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_silu {
namespace {

Value lower(Builder& b, std::span<const Value> in, const Attributes&) { return b.mul(in[0], b.op("sigmoid", {in[0]})); }

const RegisterOp silu(with_lowering(unary_real_op("silu", OpClass::composite, "x * sigmoid(x)",
                                                  []<class T>(T x) {
                                                    const T e = std::exp(-std::abs(x));  // no overflow for large |x|
                                                    return x >= 0 ? x / (1 + e) : x * e / (1 + e);
                                                  },
                                                  {.sign = Sign::kept}),
                                    lower));

}  // namespace
}  // namespace ascribe::core::op_silu
