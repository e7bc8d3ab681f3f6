// Hyperbolic tangent.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp tanh_op(unary_real_op("tanh", OpClass::elementwise, "tanh(x)",
                                       []<class T>(T x) { return std::tanh(x); }));

}  // namespace
}  // namespace ascribe
