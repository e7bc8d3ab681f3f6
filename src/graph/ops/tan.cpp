// Tangent, in radians.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp tan_op(unary_real_op("tan", OpClass::elementwise, "tan(x)", []<class T>(T x) { return std::tan(x); }));

}  // namespace
}  // namespace ascribe
