// Comparisons, logic and Where.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_comparison {
namespace {

const RegisterLowering equal("Equal", lower_binary<"equal">);
const RegisterLowering less("Less", lower_binary<"less">);
const RegisterLowering less_equal("LessOrEqual", lower_binary<"less_equal">);
const RegisterLowering greater("Greater", [](NodeContext& c) { c.out(0, c.b().op("less", {c.in(1), c.in(0)})); });
const RegisterLowering greater_equal("GreaterOrEqual", [](NodeContext& c) {
  c.out(0, c.b().op("less_equal", {c.in(1), c.in(0)}));
});

const RegisterLowering logical_and("And", lower_binary<"logical_and">);
const RegisterLowering logical_or("Or", lower_binary<"logical_or">);
const RegisterLowering logical_xor("Xor", lower_binary<"logical_xor">);
const RegisterLowering logical_not("Not", lower_unary<"logical_not">);

const RegisterLowering where("Where", [](NodeContext& c) { c.out(0, c.b().op("where", {c.in(0), c.in(1), c.in(2)})); });

}  // namespace
}  // namespace ascribe::core::lowering_comparison
