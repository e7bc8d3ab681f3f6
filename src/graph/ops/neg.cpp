// -x.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp neg(unary_number_op("neg", OpClass::linear, "-x", []<class T>(T x) {
  if constexpr (std::is_integral_v<T>) return wrapping(std::minus{}, T{0}, x);
  else return -x;
}));

}  // namespace
}  // namespace ascribe
