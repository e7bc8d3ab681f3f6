// log(1 + exp(x)), without overflow for large x or loss of digits for very negative x.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp softplus(unary_real_op("softplus", OpClass::elementwise, "log(1 + exp(x))", []<class T>(T x) {
  return std::log1p(std::exp(-std::abs(x))) + (x > 0 ? x : T{0});
}));

}  // namespace
}  // namespace ascribe
