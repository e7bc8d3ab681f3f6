// 1 / (1 + exp(-x)), without overflow for large |x|.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp sigmoid(unary_real_op("sigmoid", OpClass::elementwise, "1 / (1 + exp(-x))", []<class T>(T x) {
  const T e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}));

}  // namespace
}  // namespace ascribe
