// a + b with broadcasting.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp add(binary_number_op("add", OpClass::linear, "a + b", [](auto a, auto b) { return a + b; }));

}  // namespace
}  // namespace ascribe
