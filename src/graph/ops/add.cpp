// a + b with broadcasting.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp add(binary_number_op("add", OpClass::linear, "a + b",
                                      [](auto a, auto b) { return wrapping(std::plus{}, a, b); }));

}  // namespace
}  // namespace ascribe
