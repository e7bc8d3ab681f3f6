// Concrete shapes: row-major extents, all arithmetic checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

using Shape = std::vector<int64_t>;

// Product of the extents; refuses negative extents and overflow.
int64_t element_count(std::span<const int64_t> shape, std::string_view where = "shape");

// Row-major strides in elements.
std::vector<int64_t> strides_of(std::span<const int64_t> shape);

std::string to_string(const Shape& shape);  // "[1, 3, 224, 224]"

}  // namespace ascribe::core
