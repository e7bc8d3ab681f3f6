#include "tensor/rows.h"

#include <algorithm>
#include <cstring>

namespace ascribe::core {

Shape with_rows(Shape row, int64_t rows) {
  row.insert(row.begin(), rows);
  return row;
}

Tensor take_rows(const Tensor& tensor, std::span<const int64_t> rows, int64_t per_row) {
  Shape shape = tensor.shape();
  const int64_t count = shape[0] / per_row;
  const size_t bytes = count == 0 ? 0 : tensor.bytes() / static_cast<size_t>(count);
  shape[0] = per_row * std::ssize(rows);
  Tensor taken(tensor.dtype(), std::move(shape));
  auto* to = static_cast<std::byte*>(taken.mutable_memory());
  const auto* from = static_cast<const std::byte*>(tensor.memory());
  for (const int64_t row : rows) {
    require(row >= 0 && row < count, "rows", "there is no such row");
    if (bytes > 0) std::memcpy(to, from + static_cast<size_t>(row) * bytes, bytes);
    to += bytes;
  }
  return taken;
}

Tensor row_at(const Tensor& rows, int64_t row, Shape shape) {
  Tensor one(rows.dtype(), std::move(shape));
  const size_t bytes = one.bytes();
  require((static_cast<size_t>(row) + 1) * bytes <= rows.bytes(), "rows", "there is no such row");
  if (bytes > 0) {
    std::memcpy(one.mutable_memory(), static_cast<const std::byte*>(rows.memory()) + static_cast<size_t>(row) * bytes,
                bytes);
  }
  return one;
}

Tensor stacked_rows(std::span<const Tensor> rows) {
  require(!rows.empty() && rows[0].rank() > 0, "rows", "there is nothing to stack");
  if (rows.size() == 1) return rows[0];
  Shape shape = rows[0].shape();
  shape[0] = 0;
  for (const Tensor& row : rows) shape[0] += row.shape()[0];
  Tensor all(rows[0].dtype(), shape);
  auto* to = static_cast<std::byte*>(all.mutable_memory());
  for (const Tensor& row : rows) {
    const Tensor same = row.cast(all.dtype());
    to = std::copy_n(static_cast<const std::byte*>(same.memory()), same.bytes(), to);
  }
  return all;
}

Tensor repeated_row(const Tensor& row, int64_t times) {
  if (times == 1) return row;
  return stacked_rows(std::vector<Tensor>(static_cast<size_t>(times), row));
}

Tensor mean_row(const Tensor& rows, int64_t first, int64_t count, const Shape& row) {
  Tensor mean(DType::f64, row);
  const auto to = mean.mutable_data<double>();
  const size_t size = to.size();
  require(first >= 0 && (first + count) * static_cast<int64_t>(size) <= rows.size(), "rows", "there is no such row");
  visit(rows.dtype(), [&]<class T>(T) {
    for (int64_t r = first; r < first + count; ++r) {
      const auto from = rows.data<T>().subspan(static_cast<size_t>(r) * size, size);
      for (size_t i = 0; i < size; ++i) to[i] += static_cast<double>(from[i]);
    }
  });
  if (count == 1) return mean;
  for (double& value : to) value /= static_cast<double>(count);
  return mean;
}

}  // namespace ascribe::core
