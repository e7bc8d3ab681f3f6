#include "derivatives/hessian_behind.h"

#include <algorithm>

#include "passes/canonicalize.h"

namespace ascribe::core {

namespace {

constexpr size_t kTogether = 16;  // columns whose numbers lie in one line of the cache

// Some columns of a matrix [rows, columns] as the rows of another.
template <class T>
void take_columns(std::span<const T> from, size_t columns, std::span<const int64_t> which, std::span<T> to) {
  const size_t rows = from.size() / columns;
  for (size_t first = 0; first < which.size(); first += kTogether) {
    const size_t end = std::min(first + kTogether, which.size());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = first; i < end; ++i) to[i * rows + row] = from[row * columns + static_cast<size_t>(which[i])];
    }
  }
}

}  // namespace

HessianBehind::HessianBehind(const LinearPrefix& cut, size_t input, const SessionOptions& options)
    : input_(input),
      directions_(cut.inner),
      layer_(canonicalize(cut.prefix), options),
      transposed_(transposed_prefix(cut), options),
      rest_(cut.suffix, {}, options, cut.suffix.inputs[input].name) {}

Tensor HessianBehind::rows(std::span<const Tensor> point, std::span<const int64_t> elements, const Progress& progress) {
  std::vector<Tensor> inside(point.begin(), point.end());
  inside[input_] = layer_.run(std::array{point[input_]})[0];
  const Graph& transposed = transposed_.graph();
  const auto through_layer = [&](const Tensor& rows, int64_t count) {
    const Shape shape = at(transposed[transposed.inputs[0].value].type.shape, count);
    return transposed_.run(std::array{rows.reshaped(shape)}, progress)[0];
  };
  // It is symmetric, so that the columns of its product with A are the rows of A^T times it.
  const Tensor half = through_layer(rest_.hessian(inside, {}, progress), directions_);
  Tensor turned(half.dtype(), {std::ssize(elements), directions_});
  visit(half.dtype(), [&]<class T>(T) {
    const auto from = half.data<T>();
    take_columns<T>(from, from.size() / static_cast<size_t>(directions_), elements, turned.mutable_data<T>());
  });
  return through_layer(turned, std::ssize(elements));
}

}  // namespace ascribe::core
