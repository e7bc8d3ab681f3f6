// Inverse cosine in [0, pi]; NaN outside of [-1, 1].
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp acos_op(unary_real_op("acos", OpClass::elementwise, "acos(x)",
                                       []<class T>(T x) { return std::acos(x); }));

}  // namespace
}  // namespace ascribe
