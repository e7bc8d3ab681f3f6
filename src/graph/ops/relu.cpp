// max(x, 0). NaN stays NaN; at 0 the constant is chosen.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp relu(unary_number_op("relu", OpClass::selection, "max(x, 0)",
                                      []<class T>(T x) { return x <= 0 ? T{0} : x; }));

}  // namespace
}  // namespace ascribe
