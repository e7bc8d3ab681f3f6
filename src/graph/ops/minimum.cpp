// The smaller of a and b with broadcasting. NaN propagates; a tie chooses a.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp minimum(binary_number_op("minimum", OpClass::selection, "min(a, b)",
                                          [](auto a, auto b) { return a <= b || a != a ? a : b; }));

}  // namespace
}  // namespace ascribe
