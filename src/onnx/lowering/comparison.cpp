// Comparisons, logic and Where.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_comparison {
namespace {

const RegisterLowering equal({"Equal", 19, "axis:-6 broadcast"}, lower_binary<"equal">);
const RegisterLowering less({"Less", 13, "axis:-6 broadcast"}, lower_binary<"less">);
const RegisterLowering less_equal({"LessOrEqual", 16}, lower_binary<"less_equal">);
const RegisterLowering greater({"Greater", 13, "axis:-6 broadcast"}, [](NodeContext& c) {
  c.out(0, c.b().op("less", {second_operand(c), c.in(0)}));
});
const RegisterLowering greater_equal({"GreaterOrEqual", 16}, [](NodeContext& c) {
  c.out(0, c.b().op("less_equal", {c.in(1), c.in(0)}));
});

const RegisterLowering logical_and({"And", 7, "axis:-6 broadcast"}, lower_binary<"logical_and">);
const RegisterLowering logical_or({"Or", 7, "axis:-6 broadcast"}, lower_binary<"logical_or">);
const RegisterLowering logical_xor({"Xor", 7, "axis:-6 broadcast"}, lower_binary<"logical_xor">);
const RegisterLowering logical_not({"Not", 1}, lower_unary<"logical_not">);

const RegisterLowering where({"Where", 16}, [](NodeContext& c) {
  c.out(0, c.b().op("where", {c.in(0), c.in(1), c.in(2)}));
});

}  // namespace
}  // namespace ascribe::core::lowering_comparison
