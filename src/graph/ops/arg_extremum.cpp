// arg_max, arg_min along an axis: the first index of the extremum, or the last (select_last).
// NaN wins over every number, as in numpy.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core::op_arg_extremum {
namespace {

Type infer(const Signature& s) {
  expect_number(s, 0);
  const int64_t axis = axis_of(s);
  Dims shape = s.shape(0);
  if (!at_least(shape[axis], 1)) s.refuse("axis {} may be empty; got shape {}", axis, to_string(shape));
  if (s.attributes.flag("keepdims")) shape[axis] = 1;
  else shape.erase(shape.begin() + axis);
  return {Kind::integer, shape};
}

// 1 if x beats best, 0 if they tie, -1 otherwise.
template <class Better, class T>
int compare(T x, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(best)) return int{std::isnan(x)} - int{std::isnan(best)};
  }
  return x == best ? 0 : Better{}(x, best) ? 1 : -1;
}

template <class Better>
void apply(const Evaluation& e) {
  const AxisView view = along(e.inputs[0].shape, e.attributes.integer("axis"));
  const int beaten_from = e.attributes.flag("select_last") ? 0 : 1;
  const auto out = e.output.data<int64_t>();
  visit_number(e.inputs[0].dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    parallel_for(e.output.size(), kGrain / std::max<int64_t>(view.size, 1), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t from = line / view.inner * view.size * view.inner + line % view.inner;
        int64_t best = 0;
        for (int64_t k = 1; k < view.size; ++k) {
          if (compare<Better>(x[from + k * view.inner], x[from + best * view.inner]) >= beaten_from) best = k;
        }
        out[line] = best;
      }
    });
  });
}

template <class Better>
Op arg_extremum(std::string name, std::string formula, Better) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::plumbing;
  op.formula = std::move(formula);
  op.infer = infer;
  op.apply = apply<Better>;
  return op;
}

const RegisterOp arg_max(arg_extremum("arg_max", "the index of the maximum along an axis",
                                      [](auto x, auto best) { return x > best; }));
const RegisterOp arg_min(arg_extremum("arg_min", "the index of the minimum along an axis",
                                      [](auto x, auto best) { return x < best; }));

}  // namespace
}  // namespace ascribe::core::op_arg_extremum
