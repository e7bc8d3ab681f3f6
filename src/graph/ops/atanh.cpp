// Inverse hyperbolic tangent; NaN outside of [-1, 1].
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp atanh_op(unary_real_op("atanh", OpClass::elementwise, "atanh(x)",
                                        []<class T>(T x) { return std::atanh(x); }));

}  // namespace
}  // namespace ascribe
