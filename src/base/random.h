// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). The value at (seed, stream, index) is a
// pure function, so a sample does not depend on threads, batches or call order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ascribe::core {

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::array<uint32_t, 4> block(uint64_t index) const;
  double uniform(uint64_t index) const;                  // in [0, 1), 53 bits
  double normal(uint64_t index) const;                   // N(0, 1), Box-Muller
  uint64_t below(uint64_t index, uint64_t bound) const;  // in [0, bound), bound > 0
  std::vector<int64_t> permutation(uint64_t index, int64_t size) const;

 private:
  uint64_t seed_;
  uint64_t stream_;
};

}  // namespace ascribe::core
