// Broadcast operands in row-major memory, walked line by line: neighbouring axes are joined where all operands
// walk over them as over one, and along the last axis every operand moves by 1 or stands still.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace ascribe::core {

class Lines {
 public:
  Lines(std::span<const Shape> operands, const Shape& result);
  // One line over everything.
  Lines(int64_t count, std::vector<int64_t> steps);

  int64_t count() const { return count_; }                                    // elements of the result
  int64_t step(size_t operand) const { return axes_.back().steps[operand]; }  // 0 or 1

  // Calls f(first element, number of elements, offsets of the operands) for the lines of [begin, end).
  template <class F>
  void for_each(int64_t begin, int64_t end, F f) const {
    std::vector<int64_t> offsets(axes_.back().steps.size());
    while (begin < end) {
      const int64_t size = std::min(place(begin, offsets), end - begin);
      f(begin, size, std::span<const int64_t>(offsets));
      begin += size;
    }
  }

 private:
  struct Axis {
    int64_t extent = 1;
    std::vector<int64_t> steps;  // of each operand
  };

  // Where the operands are at an element of the result; gives how many elements are left in its line.
  int64_t place(int64_t element, std::vector<int64_t>& offsets) const;

  std::vector<Axis> axes_;  // at least one
  int64_t count_ = 1;
};

}  // namespace ascribe::core
