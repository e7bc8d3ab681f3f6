// floor, ceil, round (halves to even), sign (NaN stays NaN): piecewise constant.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core::op_rounding {
namespace {

const RegisterOp floor_op(unary_real_op("floor", OpClass::plumbing, "the largest integer <= x",
                                        [](auto x) { return std::floor(x); }, {.sign = Sign::kept, .rises = true}));
const RegisterOp ceil_op(unary_real_op("ceil", OpClass::plumbing, "the smallest integer >= x",
                                       [](auto x) { return std::ceil(x); }, {.sign = Sign::kept, .rises = true}));
const RegisterOp round_op(unary_real_op("round", OpClass::plumbing, "the nearest integer, halves to even",
                                        [](auto x) { return std::nearbyint(x); }, {.sign = Sign::kept, .rises = true}));
const RegisterOp sign(unary_number_op("sign", OpClass::plumbing, "-1, 0 or 1",
                                      []<class T>(T x) {
                                        if (x > 0) return T{1};
                                        return x < 0 ? T{-1} : x;
                                      },
                                      {.sign = Sign::kept, .bounded = true, .rises = true}));

}  // namespace
}  // namespace ascribe::core::op_rounding
