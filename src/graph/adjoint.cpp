#include "graph/adjoint.h"

#include <algorithm>
#include <numeric>

#include "graph/op_support.h"

namespace ascribe::core {

Value zeros(Builder& b, Dims shape) { return b.expand(b.scalar(0), std::move(shape)); }

Value coordinates(Builder& b, Dims shape, int64_t axis) {
  Dims line(shape.size(), 1);
  line[axis] = shape[axis];
  const Value ones = b.expand(b.integer(1), line);
  const Value places =
      b.op("cumsum", {ones}, {{"axis", ints({axis})}, {"exclusive", ints({1})}, {"reverse", ints({0})}});
  return b.expand(places, std::move(shape));
}

Value numbers(Builder& b, Dims shape) {
  const Value flat = coordinates(b, {product(shape)}, 0);
  return b.reshape(flat, std::move(shape));
}

Value move_axis(Builder& b, Value x, int64_t from, int64_t to) {
  if (from == to) return x;
  std::vector<int64_t> perm(b.rank(x));
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  return b.transpose(x, perm);
}

Value embed(Builder& b, Value x, const Dims& starts, const Dims& shape) {
  if (b.shape(x) == shape) return x;
  Dims after;
  for (size_t axis = 0; axis < shape.size(); ++axis) after.push_back(shape[axis] - starts[axis] - b.shape(x)[axis]);
  return b.op("pad", {x}, {{"before", starts}, {"after", after}, {"mode", "constant"}, {"value", reals({0})}});
}

Value with_axes_kept(Builder& b, Value reduced, const Dims& x, std::span<const int64_t> axes) {
  Dims shape = x;
  for (const int64_t axis : axes) shape[axis] = 1;
  return b.shape(reduced) == shape ? reduced : b.reshape(reduced, shape);
}

Value transposed_resample(Builder& b, Value gradient, int64_t axis, int64_t extent, std::span<const int64_t> indices,
                          std::span<const double> weights, int64_t taps) {
  struct Term {
    int64_t from;
    double weight;
  };
  std::vector<std::vector<Term>> terms(extent);
  for (int64_t i = 0; i < std::ssize(indices); ++i) {
    if (weights[i] == 0) continue;
    terms[checked_index(indices[i], extent, b.where())].push_back({i / taps, weights[i]});
  }
  size_t most = 1;
  for (const auto& list : terms) most = std::max(most, list.size());
  std::vector<int64_t> sources(extent * most, 0);
  std::vector<double> factors(extent * most, 0);
  for (int64_t i = 0; i < extent; ++i) {
    for (size_t t = 0; t < terms[i].size(); ++t) {
      sources[i * most + t] = terms[i][t].from;
      factors[i * most + t] = terms[i][t].weight;
    }
  }
  const Shape table = {extent, static_cast<int64_t>(most)};
  return b.op(
      "resample",
      {gradient, b.constant(Tensor::of<int64_t>(table, sources)), b.constant(Tensor::of<double>(table, factors))},
      {{"axis", ints({axis})}});
}

}  // namespace ascribe::core
