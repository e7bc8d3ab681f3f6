// Hyperbolic sine.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp sinh_op(unary_real_op("sinh", OpClass::elementwise, "sinh(x)",
                                       []<class T>(T x) { return std::sinh(x); }));

}  // namespace
}  // namespace ascribe
