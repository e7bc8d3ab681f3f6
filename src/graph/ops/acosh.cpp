// Inverse hyperbolic cosine; NaN below 1.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp acosh_op(unary_real_op("acosh", OpClass::elementwise, "acosh(x)",
                                        []<class T>(T x) { return std::acosh(x); }));

}  // namespace
}  // namespace ascribe
