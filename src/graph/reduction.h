// Reductions over a set of axes (attributes: axes, keepdims). Outputs are computed in
// parallel, each one by a sequential walk in row-major order, so that the bits do not
// depend on the number of threads. Float sums are accumulated in double.
#pragma once

#include "graph/op_support.h"

namespace ascribe::core {

// Where the elements of one output lie: at base + start + k * stride, k < run, for every start.
struct Reduction {
  Shape kept;                                        // the output without reduced axes
  std::array<std::vector<int64_t>, 1> kept_strides;  // of the operand
  std::vector<int64_t> starts;
  int64_t run = 1;
  int64_t stride = 1;
  int64_t count = 1;  // elements per output
};
Reduction plan_reduction(std::span<const int64_t> shape, std::span<const int64_t> axes);

Dims reduced_shape(const Signature& signature);           // validates the attributes
Type infer_reduction(const Signature& signature);         // real or integer
Type infer_reduction_filled(const Signature& signature);  // ... and refuses a reduction of no elements
Dims without_axes(const Dims& shape, std::span<const int64_t> axes);
bool reduces_nothing(const Dims& shape, std::span<const int64_t> axes);  // an axis is empty for every batch

// What sums are accumulated in.
template <class T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, T>;

// out = reduce(each), where each(take) calls take(x) for every element x of one output.
template <class T, class F>
void apply_reduction(const Evaluation& e, F reduce) {
  const Reduction plan = plan_reduction(e.inputs[0].shape, e.attributes.integers("axes"));
  const auto x = e.inputs[0].data<const T>();
  const auto out = e.output.data<T>();
  parallel_for(e.output.size(), kGrain / std::max<int64_t>(plan.count, 1), [&](int64_t begin, int64_t end) {
    for_each_broadcast(plan.kept, plan.kept_strides, begin, end, [&](int64_t i, int64_t base) {
      out[i] = reduce([&](auto&& take) {
        for (const int64_t start : plan.starts) {
          for (int64_t k = 0; k < plan.run; ++k) take(x[base + start + k * plan.stride]);
        }
      });
    });
  });
}

// For reductions without a neutral element: refuses outputs of no elements (an axis of N - 1 at one row).
void expect_filled(const Evaluation& e, std::string_view op);

}  // namespace ascribe::core
