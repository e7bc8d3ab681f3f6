// Square root; NaN for negative operands.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp sqrt_op(unary_real_op("sqrt", OpClass::elementwise, "sqrt(x)",
                                       []<class T>(T x) { return std::sqrt(x); }));

}  // namespace
}  // namespace ascribe
