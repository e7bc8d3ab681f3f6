#include "onnx/export/constants.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace ascribe::core {

namespace {

using Part = DerivedConstant::Part;

constexpr Part kParts[] = {Part::whole, Part::positive, Part::negative};

template <class T>
T part_of_number(T value, Part part) {
  if (part == Part::whole) return value;
  // What ONNX computes: Relu(w), and w - Relu(w).
  const T positive = value < 0 ? T{0} : value;
  return part == Part::positive ? positive : value - positive;
}

uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0x9E3779B97F4A7C15U;
  return bits ^ (bits >> 29);
}

template <class T>
uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(value + 0.0F);  // -0 becomes 0
  else if constexpr (std::is_same_v<T, double>) return std::bit_cast<uint64_t>(value + 0.0);
  else return static_cast<uint64_t>(value);
}

struct Hashes {
  uint64_t ordered = 0, unordered = 0;
};

template <class T>
Hashes hashes_of(std::span<const T> values, Part part) {
  Hashes hashes{values.size() * 31 + sizeof(T), values.size()};
  for (const T value : values) {
    const uint64_t mix = mixed(bits_of(part_of_number(value, part)) + 1);
    hashes.ordered = std::rotl(hashes.ordered, 5) * 0x100000001B3U ^ mix;
    hashes.unordered += mix;
  }
  return hashes;
}

Hashes hashes_of(const Tensor& tensor, Part part) {
  return visit(tensor.dtype(), [&]<class T>(T) { return hashes_of(tensor.data<T>(), part); });
}

// Whether `tensor` is the part of `from` with its axes in this order.
template <class T>
bool same_numbers(const Tensor& tensor, const Tensor& from, Part part, const std::vector<int64_t>& axes) {
  const auto a = tensor.data<T>(), b = from.data<T>();
  if (axes.empty()) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == part_of_number(b[i], part))) return false;
    }
    return true;
  }
  Shape strides(from.shape().size(), 1);
  for (size_t axis = strides.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * from.shape()[axis];
  Shape index(axes.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t place = 0;
    for (size_t axis = 0; axis < axes.size(); ++axis) place += index[axis] * strides[static_cast<size_t>(axes[axis])];
    if (!(a[i] == part_of_number(b[static_cast<size_t>(place)], part))) return false;
    for (size_t axis = axes.size(); axis-- > 0;) {
      if (++index[axis] < tensor.shape()[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

bool same(const Tensor& tensor, const Tensor& from, Part part, const std::vector<int64_t>& axes) {
  return visit(tensor.dtype(), [&]<class T>(T) { return same_numbers<T>(tensor, from, part, axes); });
}

// An order of the axes of `from` in which it is the tensor.
std::optional<std::vector<int64_t>> axes_of(const Tensor& tensor, const Tensor& from, Part part) {
  if (tensor.rank() != from.rank() || tensor.rank() < 2 || tensor.rank() > 4) return {};
  std::vector<int64_t> axes(static_cast<size_t>(tensor.rank()));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  while (std::next_permutation(axes.begin(), axes.end())) {
    bool fits = true;
    for (size_t i = 0; i < axes.size(); ++i) fits &= tensor.shape()[i] == from.shape()[static_cast<size_t>(axes[i])];
    if (fits && same(tensor, from, part, axes)) return axes;
  }
  return {};
}

}  // namespace

std::optional<DerivedConstant> StoredConstants::find(const Tensor& tensor) const {
  const Hashes hashes = hashes_of(tensor, Part::whole);
  for (auto [place, end] = ordered_.equal_range(hashes.ordered); place != end; ++place) {
    const Entry& entry = entries_[place->second.entry];
    if (entry.tensor.dtype() != tensor.dtype() || entry.tensor.size() != tensor.size()) continue;
    if (same(tensor, entry.tensor, place->second.part, {}))
      return DerivedConstant{place->second.part, entry.name, entry.tensor.shape(), {}};
  }
  for (auto [place, end] = unordered_.equal_range(hashes.unordered); place != end; ++place) {
    const Entry& entry = entries_[place->second.entry];
    if (entry.tensor.dtype() != tensor.dtype() || entry.tensor.size() != tensor.size()) continue;
    if (const auto axes = axes_of(tensor, entry.tensor, place->second.part))
      return DerivedConstant{place->second.part, entry.name, entry.tensor.shape(), *axes};
  }
  return {};
}

void StoredConstants::keep(const std::string& name, const Tensor& tensor) {
  const size_t number = entries_.size();
  entries_.push_back({name, tensor});
  const bool real = tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64;
  for (const Part part : kParts) {
    if (part != Part::whole && !real) continue;
    const Hashes hashes = hashes_of(tensor, part);
    ordered_.emplace(hashes.ordered, Place{number, part});
    unordered_.emplace(hashes.unordered, Place{number, part});
  }
}

namespace {

// A hash of each column.
std::vector<uint64_t> column_hashes(const Tensor& tensor, int64_t rows, int64_t columns) {
  std::vector<uint64_t> hashes(static_cast<size_t>(columns), 1);
  visit(tensor.dtype(), [&]<class T>(T) {
    const auto values = tensor.data<T>();
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = values.data() + row * columns;
      for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = mixed(hashes[i] * 3 + bits_of(from[i]));
    }
  });
  return hashes;
}

}  // namespace

std::optional<RepeatedColumns> repeated_columns(const Tensor& tensor) {
  constexpr int64_t kFewest = 1024;
  if (tensor.rank() < 2 || tensor.shape().back() < kFewest || tensor.size() == 0) return {};
  const int64_t columns = tensor.shape().back(), rows = tensor.size() / columns;
  const std::vector<uint64_t> hashes = column_hashes(tensor, rows, columns);
  std::unordered_map<uint64_t, int64_t> number;
  std::vector<int64_t> first;
  RepeatedColumns repeated;
  for (int64_t i = 0; i < columns; ++i) {
    const auto [found, fresh] = number.try_emplace(hashes[static_cast<size_t>(i)], std::ssize(first));
    if (fresh) first.push_back(i);
    if (std::ssize(first) * 4 > columns) return {};
    repeated.choice.push_back(found->second);
  }
  Shape shape = tensor.shape();
  shape.back() = std::ssize(first);
  repeated.columns = Tensor(tensor.dtype(), shape);
  const size_t bytes = size_of(tensor.dtype());
  const auto* from = static_cast<const std::byte*>(tensor.memory());
  auto* to = static_cast<std::byte*>(repeated.columns.mutable_memory());
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t u = 0; u < first.size(); ++u) {
      std::memcpy(to + (static_cast<size_t>(row) * first.size() + u) * bytes,
                  from + static_cast<size_t>(row * columns + first[u]) * bytes, bytes);
    }
    // Hashes may agree by chance.
    for (int64_t i = 0; i < columns; ++i) {
      if (std::memcmp(to + (static_cast<size_t>(row) * first.size() +
                            static_cast<size_t>(repeated.choice[static_cast<size_t>(i)])) *
                               bytes,
                      from + static_cast<size_t>(row * columns + i) * bytes, bytes) != 0)
        return {};
    }
  }
  return repeated;
}

namespace {

// values[i * columns + j] = values[i * columns] + values[j] - values[0], of the first `size`.
bool is_grid(const std::vector<int64_t>& values, int64_t size, int64_t columns) {
  const int64_t* v = values.data();
  for (int64_t i = columns; i < size; i += columns) {
    for (int64_t j = 1; j < columns; ++j) {
      if (v[i + j] - v[i] != v[j] - v[0]) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<GridOfIntegers> grid_of(const std::vector<int64_t>& values) {
  const auto size = std::ssize(values);
  constexpr int64_t kLargest = int64_t{1} << 40;  // differences stay far from overflow
  for (const int64_t value : values) {
    if (value < -kLargest || value > kLargest) return {};
  }
  GridOfIntegers best;
  int64_t shortest = size / 4;
  for (int64_t times = 1; times <= 16 && times * 4 <= size; ++times) {
    if (size % times != 0) continue;
    const int64_t period = size / times;
    if (!std::equal(values.begin() + period, values.end(), values.begin())) continue;
    for (int64_t columns = 1; columns <= period; ++columns) {
      if (period % columns != 0 || columns + period / columns >= shortest) continue;
      if (!is_grid(values, period, columns)) continue;
      shortest = columns + period / columns;
      best = {times, {}, {}};
      for (int64_t i = 0; i < period; i += columns) best.down.push_back(values[static_cast<size_t>(i)]);
      for (int64_t j = 0; j < columns; ++j) best.across.push_back(values[static_cast<size_t>(j)] - values[0]);
    }
  }
  if (best.down.empty()) return {};
  return best;
}

}  // namespace ascribe::core
