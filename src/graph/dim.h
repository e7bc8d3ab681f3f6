// A dimension that may grow with the batch: fixed + per_row * N, N the number of
// rows. Enough for every batched model we met (N, 12 N for merged heads); what does
// not fit (N^2, N / 2) is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/shape.h"

namespace ascribe::core {

struct Dim {
  int64_t fixed = 0;
  int64_t per_row = 0;

  constexpr Dim() = default;
  constexpr Dim(int64_t value) : fixed(value) {}  // NOLINT: a plain number is a dimension
  constexpr Dim(int64_t fixed_part, int64_t rows) : fixed(fixed_part), per_row(rows) {}

  bool is_fixed() const { return per_row == 0; }
  int64_t at(int64_t batch) const;
  friend bool operator==(const Dim&, const Dim&) = default;
};

Dim operator+(Dim a, Dim b);
Dim operator-(Dim a, Dim b);
Dim operator*(Dim a, Dim b);  // refuses N * N

using Dims = std::vector<Dim>;

inline constexpr Dim kBatch{0, 1};

Dim product(const Dims& dims);
// a / b, b positive, if it is a dimension again (12 N / N = 12); throws kind model otherwise.
Dim divide(Dim a, Dim b, std::string_view where);
// True if a >= b for every batch of one row or more.
bool at_least(Dim a, Dim b);
bool all_fixed(const Dims& dims);
Shape at(const Dims& dims, int64_t batch);
Dims to_dims(const Shape& shape);
// How a value of this shape holds rows: they come first where their number is free. Where the file fixes it, the first
// axis still counts rows if it is 1 or if what follows looks like an image.
struct RowsOf {
  bool first = false;  // the first axis counts rows
  int64_t rows = 0;    // fixed to so many; 0: free, or there are none
  Shape row;           // of one row; the whole shape if there are no rows
};
RowsOf rows_in(const Dims& shape);
std::string to_string(Dim dim);           // "3", "N", "12N", "N+1"
std::string to_string(const Dims& dims);  // "[N, 3, 224, 224]"

}  // namespace ascribe::core
