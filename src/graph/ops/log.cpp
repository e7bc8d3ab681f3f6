// Natural logarithm; NaN for negative operands.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp log_op(unary_real_op("log", OpClass::elementwise, "log(x)", []<class T>(T x) { return std::log(x); }));

}  // namespace
}  // namespace ascribe
