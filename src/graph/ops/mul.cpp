// a * b with broadcasting.
#include "graph/op_support.h"

namespace ascribe {
namespace {

const RegisterOp mul(binary_number_op("mul", OpClass::bilinear, "a * b",
                                      [](auto a, auto b) { return wrapping(std::multiplies{}, a, b); }));

}  // namespace
}  // namespace ascribe
