// Rows of normal numbers, many at a time: Philox4x32-10 as in base/random.h, two 32-bit words to two numbers by
// Box-Muller in single precision (24 bits, none beyond 6.8 standard deviations). The number at (random, row, place) is
// a pure function: it depends on no other place, on no thread and not on the processor.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace ascribe::core {

class Normals {
 public:
  explicit Normals(const Random& random);

  // N(0, 1) at places 0, 1, ... of the row.
  void fill(uint64_t row, std::span<float> places) const;

 private:
  uint32_t key0_, key1_;
};

}  // namespace ascribe::core
