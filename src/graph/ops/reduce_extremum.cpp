// reduce_max, reduce_min over axes. NaN propagates; a maximum of no elements is refused.
#include <algorithm>
#include <cmath>

#include "graph/builder.h"
#include "graph/reduction.h"

namespace ascribe::core::op_reduce_extremum {
namespace {

// x with the reduced axes merged into the last one.
Value merged(Builder& b, Value x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> perm;
  for (int64_t axis = 0; axis < b.rank(x); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) perm.push_back(axis);
  }
  Dims shape = without_axes(b.shape(x), axes);
  Dim count = 1;
  for (const int64_t axis : axes) count = count * b.shape(x)[axis];
  shape.push_back(count);
  perm.insert(perm.end(), axes.begin(), axes.end());
  return b.reshape(b.transpose(x, perm), shape);
}

// The first of equal ones, by its index.
Value lower(Builder& b, Value x, const Attributes& attributes, std::string_view arg_extremum) {
  auto axes = attributes.integers("axes");
  std::ranges::sort(axes);
  Dims shape = b.shape(x);
  for (const int64_t axis : axes) shape[axis] = 1;
  if (!attributes.flag("keepdims")) shape = without_axes(b.shape(x), axes);
  if (axes.size() != 1) x = merged(b, x, axes);
  const int64_t axis = axes.size() == 1 ? axes[0] : b.rank(x) - 1;
  const Value index =
      b.op(arg_extremum, {x}, {{"axis", ints({axis})}, {"keepdims", ints({1})}, {"select_last", ints({0})}});
  return b.reshape(b.op("gather_elements", {x, index}, {{"axis", ints({axis})}}), shape);
}

// `Better` tells whether its first argument replaces the second.
template <class Better>
Op extremum(std::string name, std::string formula, Better) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::selection;
  op.traits = {.sign = Sign::kept};
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

Value lower_max(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  return lower(b, in[0], attributes, "arg_max");
}
Value lower_min(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  return lower(b, in[0], attributes, "arg_min");
}

const RegisterOp reduce_max(
    with_choice(extremum("reduce_max", "maximum over axes", [](auto x, auto best) { return x > best; }), lower_max));
const RegisterOp reduce_min(
    with_choice(extremum("reduce_min", "minimum over axes", [](auto x, auto best) { return x < best; }), lower_min));

}  // namespace
}  // namespace ascribe::core::op_reduce_extremum
