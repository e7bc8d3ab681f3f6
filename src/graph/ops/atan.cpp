// Inverse tangent in (-pi/2, pi/2).
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp atan_op(unary_real_op("atan", OpClass::elementwise, "atan(x)",
                                       []<class T>(T x) { return std::atan(x); }));

}  // namespace
}  // namespace ascribe
