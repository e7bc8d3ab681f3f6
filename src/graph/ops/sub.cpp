// a - b with broadcasting.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp sub(binary_number_op("sub", OpClass::linear, "a - b",
                                      [](auto a, auto b) { return wrapping(std::minus{}, a, b); }));

}  // namespace
}  // namespace ascribe
