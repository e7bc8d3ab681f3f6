// 1 / x; infinite at 0.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp reciprocal(unary_real_op("reciprocal", OpClass::elementwise, "1 / x",
                                          []<class T>(T x) { return 1 / x; }));

}  // namespace
}  // namespace ascribe
