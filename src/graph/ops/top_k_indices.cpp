// The indices of the k largest (or smallest) elements along an axis, best first; of equal
// elements the lower index comes first. NaN counts as larger than every number.
// sorted = 0 allows any order; we keep the sorted one.
#include <cmath>
#include <numeric>

#include "graph/op_support.h"

namespace ascribe::core::op_top_k_indices {
namespace {

Type infer(const Signature& s) {
  expect_number(s, 0);
  const int64_t axis = axis_of(s);
  const Dims& k = s.attributes.dims("k");
  Dims shape = s.shape(0);
  if (k.size() != 1 || !at_least(k[0], 0) || !at_least(shape[axis], k[0])) {
    s.refuse("k does not fit axis {}; got {} for shape {}", axis, to_string(k), to_string(shape));
  }
  shape[axis] = k[0];
  return {Kind::integer, shape};
}

template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const int64_t axis = e.attributes.integer("axis");
  const bool largest = e.attributes.flag("largest");
  const AxisView view = along(e.inputs[0].shape, axis);
  const int64_t k = e.output.shape[axis];
  require(k <= view.size, "top_k_indices", "k exceeds the axis");
  const auto out = e.output.data<int64_t>();
  visit_number(e.inputs[0].dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    parallel_for(view.outer * view.inner, kGrain / view.size, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> order(view.size);
      for (int64_t line = begin; line < end; ++line) {
        const int64_t o = line / view.inner, i = line % view.inner;
        const auto at = [&](int64_t index) { return x[(o * view.size + index) * view.inner + i]; };
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
          if (is_less(at(a), at(b))) return !largest;
          if (is_less(at(b), at(a))) return largest;
          return a < b;
        });
        for (int64_t rank = 0; rank < k; ++rank) out[(o * k + rank) * view.inner + i] = order[rank];
      }
    });
  });
}

const RegisterOp top_k_indices({.name = "top_k_indices",
                                .op_class = OpClass::plumbing,
                                .formula = "the indices of the k largest or smallest elements along an axis",
                                .infer = infer,
                                .apply = apply});

}  // namespace
}  // namespace ascribe::core::op_top_k_indices
