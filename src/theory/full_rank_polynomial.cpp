#include "theory/full_rank_polynomial.h"

#include <cmath>

#include "base/random.h"
#include "graph/builder.h"

namespace ascribe::core {

namespace {

enum Stream : uint64_t { kLinear = 91, kPairs };

}  // namespace

Graph full_rank_polynomial(int64_t side, uint64_t seed) {
  const int64_t n = side * side;
  const Random linear(seed, kLinear), pairs(seed, kPairs);
  Tensor c(DType::f64, {n, 1}), q(DType::f64, {n, n});
  const auto to_c = c.mutable_data<double>(), to_q = q.mutable_data<double>();
  for (int64_t i = 0; i < n; ++i) {
    to_c[i] = linear.normal(static_cast<uint64_t>(i)) / std::sqrt(static_cast<double>(n));
    for (int64_t j = i; j < n; ++j) {
      const auto place = static_cast<uint64_t>(i * n + j);
      to_q[i * n + j] = pairs.normal(place) / static_cast<double>(n);
    }
  }
  Graph graph;
  graph.name = "full-rank polynomial";
  Builder b(graph);
  const Value x = b.reshape(b.input("input", {Kind::real, {kBatch, 1, side, side}}), {kBatch, n});
  const Value squares = b.mul(x, b.matmul(x, b.constant(std::move(q)), false, true));
  b.output("value", b.add(b.matmul(x, b.constant(std::move(c))), b.reduce("reduce_sum", squares, {1}, true)));
  return graph;
}

}  // namespace ascribe::core
