// Exponential function.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp exp_op(unary_real_op("exp", OpClass::elementwise, "exp(x)", []<class T>(T x) { return std::exp(x); }));

}  // namespace
}  // namespace ascribe
