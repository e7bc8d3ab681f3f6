#include "tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"

namespace ascribe::core {

int64_t element_count(std::span<const int64_t> shape, std::string_view where) {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) fail(ErrorKind::model, where, "a dimension is negative; got {}", extent);
    if (extent == 0) empty = true;
    else count = checked_multiply(count, extent, where);
  }
  return empty ? 0 : count;
}

std::vector<int64_t> strides_of(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace ascribe::core
