// Which constants of a file can be computed from others that it holds already, so that they need not be stored: the
// same numbers in another shape or order of axes, the positive or the negative part of a weight, columns that repeat.
// Runtimes fold such nodes when they load the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensor/tensor.h"

namespace ascribe::core {

// A tensor is this part of a stored one, its axes in the order `axes` (empty: as they are), in a shape of its own.
struct DerivedConstant {
  enum class Part { whole, positive, negative } part = Part::whole;
  std::string from;
  Shape shape;  // of the one it is derived from
  std::vector<int64_t> axes;
};

class StoredConstants {
 public:
  // Equal as numbers: 0 and -0 are the same. Nothing has NaN as its like.
  std::optional<DerivedConstant> find(const Tensor& tensor) const;
  void keep(const std::string& name, const Tensor& tensor);

 private:
  struct Entry {
    std::string name;
    Tensor tensor;
  };
  struct Place {
    size_t entry;
    DerivedConstant::Part part;
  };
  // Hashes of the numbers in their order, and of the numbers whatever their order.
  std::unordered_multimap<uint64_t, Place> ordered_, unordered_;
  std::vector<Entry> entries_;
};

// The last axis as a choice of columns: `columns` with the distinct ones, and for each place which one it has. Only if
// there are at most a fourth as many of them.
struct RepeatedColumns {
  Tensor columns;
  std::vector<int64_t> choice;
};
std::optional<RepeatedColumns> repeated_columns(const Tensor& tensor);

// values[(r * rows + i) * columns + j] = down[i] + across[j], for r < times: what the cells of a grid, repeated for
// every channel, are like. Only if it is much shorter.
struct GridOfIntegers {
  int64_t times = 1;
  std::vector<int64_t> down, across;
};
std::optional<GridOfIntegers> grid_of(const std::vector<int64_t>& values);

}  // namespace ascribe::core
