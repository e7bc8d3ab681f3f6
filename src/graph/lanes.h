// Lanes: the rows of elements along one axis, and softmax on them.
#pragma once

#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core {

// The elements begin + k * stride, k < count.
struct Lane {
  int64_t begin, stride, count;
};

// Calls f(lane) for all lanes of `shape` along `axis`, in parallel.
template <class F>
void for_each_lane(std::span<const int64_t> shape, int64_t axis, F f) {
  if (element_count(shape) == 0) return;
  const AxisView view = along(shape, axis);
  parallel_for(view.outer * view.inner, kGrain / view.size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      f(Lane{i / view.inner * view.inner * view.size + i % view.inner, view.inner, view.size});
    }
  });
}

inline Type infer_along_axis(const Signature& s) {
  axis_of(s);
  return infer_same_real(s);
}

// The largest element m of a lane and the sum of exp(x - m), which neither overflows nor vanishes.
struct ExpSum {
  double largest, sum;
};
template <class T>
ExpSum exp_sum(std::span<const T> x, const Lane& lane) {
  ExpSum result{-INFINITY, 0};
  for (int64_t k = 0; k < lane.count; ++k) {
    result.largest = std::max<double>(result.largest, x[lane.begin + k * lane.stride]);
  }
  for (int64_t k = 0; k < lane.count; ++k) result.sum += std::exp(x[lane.begin + k * lane.stride] - result.largest);
  return result;
}

}  // namespace ascribe::core
