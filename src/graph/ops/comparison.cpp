// equal, less, less_equal with broadcasting. A comparison with NaN is false.
#include "graph/op_support.h"

namespace ascribe::core::op_comparison {
namespace {

Type infer_ordering(const Signature& s) {
  expect_number(s, 0);
  return infer_comparison(s);
}

template <class F>
Op comparison(std::string name, std::string formula, Type (*infer)(const Signature&), F, Traits traits = {}) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::plumbing;
  op.traits = traits;
  op.traits.pointwise = true;
  op.formula = std::move(formula);
  op.min_inputs = op.max_inputs = 2;
  op.infer = infer;
  op.apply = [](const Evaluation& e) {
    visit(e.inputs[0].dtype,
          [&]<class T>(T) { apply_binary<T, uint8_t>(e, [](T a, T b) -> uint8_t { return F{}(a, b) ? 1 : 0; }); });
  };
  return op;
}

const RegisterOp equal(comparison("equal", "a == b", infer_comparison, [](auto a, auto b) { return a == b; },
                                  {.commutes = true}));
const RegisterOp less(comparison("less", "a < b", infer_ordering, [](auto a, auto b) { return a < b; }));
const RegisterOp less_equal(comparison("less_equal", "a <= b", infer_ordering, [](auto a, auto b) { return a <= b; }));

}  // namespace
}  // namespace ascribe::core::op_comparison
