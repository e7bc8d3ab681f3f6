// a to the power b with broadcasting. Integers wrap around; a negative exponent truncates 1 / a^|b|.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_pow {
namespace {

int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail(ErrorKind::model, "pow", "the integer 0 has no negative power; got exponent {}", exponent);
    if (base != 1 && base != -1) return 0;
    exponent = exponent % 2 == 0 ? 0 : 1;
  }
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapping(std::multiplies{}, result, base);
    base = wrapping(std::multiplies{}, base, base);
  }
  return result;
}

// b a^(b - 1), and 0 where b is 0, at a = 0 too; log(a) a^b, and 0 where a is 0.
Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value base = r.inputs[0], exponent = r.inputs[1], zero = b.scalar(0);
  if (r.operand == 1) {
    return b.op("where", {b.op("equal", {base, zero}), zero, b.mul(r.output, b.op("log", {base}))});
  }
  const Value constant = b.op("equal", {exponent, zero});
  return b.mul(exponent, b.op("pow", {base, b.op("where", {constant, zero, b.add(exponent, -1)})}));
}

const RegisterOp pow_op(with_derivative(binary_number_op("pow", OpClass::elementwise, "a^b",
                                                         []<class T>(T a, T b) {
                                                           if constexpr (std::is_integral_v<T>)
                                                             return integer_power(a, b);
                                                           else return std::pow(a, b);
                                                         },
                                                         {.sign = Sign::kept, .scale_free = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_pow
