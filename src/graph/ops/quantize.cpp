// The nearest integer, halves to even, differentiated as if it were x: the rounding of a quantised model. Its own
// derivative is 0 wherever it exists and says nothing; the one of x is what such models are trained with
// (the straight-through estimator: Bengio, Leonard, Courville 2013).
#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core::op_quantize {
namespace {

const RegisterOp quantize(unary_real_op("quantize", OpClass::plumbing, "the nearest integer; differentiated as x",
                                        [](auto x) { return std::nearbyint(x); },
                                        {.sign = Sign::kept, .rises = true, .straight_through = true}));

}  // namespace
}  // namespace ascribe::core::op_quantize
