// Inverse hyperbolic sine.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp asinh_op(unary_real_op("asinh", OpClass::elementwise, "asinh(x)",
                                        []<class T>(T x) { return std::asinh(x); }));

}  // namespace
}  // namespace ascribe
