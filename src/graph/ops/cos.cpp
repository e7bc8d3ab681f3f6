// Cosine, in radians.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp cos_op(unary_real_op("cos", OpClass::elementwise, "cos(x)", []<class T>(T x) { return std::cos(x); }));

}  // namespace
}  // namespace ascribe
