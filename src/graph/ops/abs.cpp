// |x|, for reals and integers; the smallest integer wraps around to itself.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp abs_op(unary_number_op("abs", OpClass::selection, "|x|", []<class T>(T x) {
  if constexpr (std::is_integral_v<T>) return x < 0 ? wrapping(std::minus{}, T{0}, x) : x;
  else return std::abs(x);
}));

}  // namespace
}  // namespace ascribe
