// Sum over axes; 0 if there are no elements.
#include "graph/reduction.h"

namespace ascribe {
namespace {

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_reduction<T>(e, [](auto each) {
      Accumulator<T> sum = 0;
      each([&](T x) { sum = wrapping(std::plus{}, sum, Accumulator<T>{x}); });
      return static_cast<T>(sum);
    });
  });
}

const RegisterOp reduce_sum({.name = "reduce_sum",
                             .op_class = OpClass::linear,
                             .formula = "sum over axes",
                             .infer = infer_reduction,
                             .apply = apply});

}  // namespace
}  // namespace ascribe
