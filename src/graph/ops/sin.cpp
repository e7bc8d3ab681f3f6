// Sine, in radians.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp sin_op(unary_real_op("sin", OpClass::elementwise, "sin(x)", []<class T>(T x) { return std::sin(x); }));

}  // namespace
}  // namespace ascribe
