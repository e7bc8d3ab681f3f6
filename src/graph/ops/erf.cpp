// erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) over [0, x].
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp erf_op(unary_real_op("erf", OpClass::elementwise, "erf(x)", []<class T>(T x) { return std::erf(x); }));

}  // namespace
}  // namespace ascribe
