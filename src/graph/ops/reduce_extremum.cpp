// reduce_max, reduce_min over axes. NaN propagates; a maximum of no elements is refused.
#include <cmath>

#include "graph/reduction.h"

namespace ascribe {
namespace {

// `Better` tells whether its first argument replaces the second.
template <class Better>
Op extremum(std::string name, std::string formula, Better) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::selection;
  op.formula = std::move(formula);
  op.infer = infer_reduction_filled;
  op.apply = [](const Evaluation& e) {
    expect_filled(e, "reduce_max or reduce_min");
    visit_number(e.output.dtype, [&]<class T>(T) {
      apply_reduction<T>(e, [](auto each) {
        T best{};
        bool first = true;
        each([&](T x) {
          bool wins = first || Better{}(x, best);
          if constexpr (std::is_floating_point_v<T>) wins = wins || std::isnan(x);
          if (wins) best = x;
          first = false;
        });
        return best;
      });
    });
  };
  return op;
}

const RegisterOp reduce_max(extremum("reduce_max", "maximum over axes", [](auto x, auto best) { return x > best; }));
const RegisterOp reduce_min(extremum("reduce_min", "minimum over axes", [](auto x, auto best) { return x < best; }));

}  // namespace
}  // namespace ascribe
