// logical_and, logical_or, logical_xor, logical_not on booleans, with broadcasting.
#include "graph/op_support.h"

namespace ascribe::core::op_logical {
namespace {

Type infer(const Signature& s) {
  for (size_t i = 0; i < s.inputs.size(); ++i) expect_kind(s, i, Kind::boolean);
  return infer_broadcast(s);
}

template <class F>
Op logical(std::string name, std::string formula, F) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::plumbing;
  op.traits = {.pointwise = true, .commutes = true};
  op.formula = std::move(formula);
  op.min_inputs = op.max_inputs = 2;
  op.infer = infer;
  op.apply = [](const Evaluation& e) {
    apply_binary<uint8_t, uint8_t>(e, [](bool a, bool b) -> uint8_t { return F{}(a, b) ? 1 : 0; });
  };
  return op;
}

const RegisterOp logical_and(logical("logical_and", "a and b", [](bool a, bool b) { return a && b; }));
const RegisterOp logical_or(logical("logical_or", "a or b", [](bool a, bool b) { return a || b; }));
const RegisterOp logical_xor(logical("logical_xor", "either a or b", [](bool a, bool b) { return a != b; }));
const RegisterOp logical_not({.name = "logical_not",
                              .op_class = OpClass::plumbing,
                              .traits = {.pointwise = true},
                              .formula = "not x",
                              .infer = infer,
                              .apply = [](const Evaluation& e) {
                                apply_unary<uint8_t, uint8_t>(e, [](bool x) -> uint8_t { return x ? 0 : 1; });
                              }});

}  // namespace
}  // namespace ascribe::core::op_logical
