// Inverse sine in [-pi/2, pi/2]; NaN outside of [-1, 1].
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp asin_op(unary_real_op("asin", OpClass::elementwise, "asin(x)",
                                       []<class T>(T x) { return std::asin(x); }));

}  // namespace
}  // namespace ascribe
