// codes: x, of which only the whole numbers that stand for categories are meant. Derivatives are refused: between two
// categories there is nothing.
#include "graph/op_support.h"

namespace ascribe::core::op_codes {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  return s.inputs[0];
}

void apply(const Evaluation& e) {
  visit_real(e.inputs[0].dtype, [&]<class T>(T) { apply_unary<T, T>(e, [](T x) { return x; }); });
}

std::string refusal(const Attributes&) {
  return "categories and whole numbers that choose have no derivative; methods that mask the input do without, and "
         "`input` may name the other inputs only";
}

const RegisterOp codes({.name = "codes",
                        .op_class = OpClass::opaque,
                        .formula = "x, codes of categories",
                        .infer = infer,
                        .apply = apply,
                        .refusal = refusal});

}  // namespace
}  // namespace ascribe::core::op_codes
