// a to the power b with broadcasting. Integers wrap around; a negative exponent truncates 1 / a^|b|.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
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

const RegisterOp pow_op(binary_number_op("pow", OpClass::elementwise, "a^b", []<class T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) return integer_power(a, b);
  else return std::pow(a, b);
}));

}  // namespace
}  // namespace ascribe
