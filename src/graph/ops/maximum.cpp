// The larger of a and b with broadcasting. NaN propagates; a tie chooses a.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp maximum(binary_number_op("maximum", OpClass::selection, "max(a, b)",
                                          [](auto a, auto b) { return a >= b || a != a ? a : b; }));

}  // namespace
}  // namespace ascribe
