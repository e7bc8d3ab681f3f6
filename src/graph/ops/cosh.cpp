// Hyperbolic cosine.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp cosh_op(unary_real_op("cosh", OpClass::elementwise, "cosh(x)",
                                       []<class T>(T x) { return std::cosh(x); }));

}  // namespace
}  // namespace ascribe
