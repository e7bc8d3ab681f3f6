// Rows of a tensor: what its first axis counts.
#pragma once

#include <span>

#include "tensor/tensor.h"

namespace ascribe::core {

Shape with_rows(Shape row, int64_t rows);  // [rows, row...]

// Some of them, in this order. `per_row`: entries of the first axis that make one row.
Tensor take_rows(const Tensor& tensor, std::span<const int64_t> rows, int64_t per_row = 1);

// One of them, in a shape of as many elements.
Tensor row_at(const Tensor& rows, int64_t row, Shape shape);

// Behind one another, all in the type of the first; and one several times.
Tensor stacked_rows(std::span<const Tensor> rows);
Tensor repeated_row(const Tensor& row, int64_t times);

// The mean over `count` rows from the first one, in double and in the shape of one row.
Tensor mean_row(const Tensor& rows, int64_t first, int64_t count, const Shape& row);

}  // namespace ascribe::core
