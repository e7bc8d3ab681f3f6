#include "game/moebius.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/error.h"
#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr int64_t kBlock = int64_t{1} << 12;  // doubles that stay in the nearest cache
constexpr int64_t kBlocksPerThread = 16;      // fewer are done before another thread has woken up

// upper[i] += sign * lower[i]
template <int sign>
void combine(const double* lower, double* upper, int64_t count) {
  for (int64_t i = 0; i < count; ++i) upper[i] += sign * lower[i];
}

// All bits below the size of the block, while it is in the cache.
template <int sign>
void transform_block(double* block, int64_t size) {
  if (size >= 4) {  // the first two bits together: steps of 1 and 2 are too short to loop over
    for (int64_t i = 0; i < size; i += 4) {
      double* v = block + i;
      const double b = v[1] + sign * v[0], d = v[3] + sign * v[2];
      v[3] = d + sign * b;
      v[2] += sign * v[0];
      v[1] = b;
    }
  } else if (size == 2) {
    block[1] += sign * block[0];
  }
  for (int64_t step = 4; step < size; step *= 2) {
    for (int64_t at = 0; at < size; at += 2 * step) combine<sign>(block + at, block + at + step, step);
  }
}

// Two bits in one walk over memory.
template <int sign>
void transform_pair(double* v, int64_t size, int64_t step) {
  const int64_t pieces = step / kBlock;
  parallel_for(size / (4 * step) * pieces, kBlocksPerThread, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      double* a = v + piece / pieces * 4 * step + piece % pieces * kBlock;
      double *b = a + step, *c = b + step, *d = c + step;
      for (int64_t i = 0; i < kBlock; ++i) {
        const double with_b = b[i] + sign * a[i], with_d = d[i] + sign * c[i];
        c[i] += sign * a[i];
        d[i] = with_d + sign * with_b;
        b[i] = with_b;
      }
    }
  });
}

// The bits from `step` on, which is at least a block.
template <int sign>
void transform_steps(std::span<double> values, int64_t step) {
  const auto size = static_cast<int64_t>(values.size());
  for (; 4 * step <= size; step *= 4) transform_pair<sign>(values.data(), size, step);
  if (step == size) return;
  parallel_for(step / kBlock, kBlocksPerThread, [&](int64_t begin, int64_t end) {
    combine<sign>(values.data() + begin * kBlock, values.data() + step + begin * kBlock, (end - begin) * kBlock);
  });
}

template <int sign>
void transform(std::span<double> values) {
  const auto size = static_cast<int64_t>(values.size());
  require(std::has_single_bit(values.size()), "moebius", "expected 2^m values");
  if (size <= kBlock) {
    transform_block<sign>(values.data(), size);
    return;
  }
  parallel_for(size / kBlock, kBlocksPerThread, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) transform_block<sign>(values.data() + i * kBlock, kBlock);
  });
  transform_steps<sign>(values, kBlock);
}

}  // namespace

void moebius_transform(std::span<double> values) { transform<-1>(values); }
void moebius_transform_from(std::span<double> values, int first_player) {
  require(std::has_single_bit(values.size()), "moebius", "expected 2^m values");
  const auto size = static_cast<int64_t>(values.size());
  int64_t step = int64_t{1} << first_player;
  for (; step < std::min(size, kBlock); step *= 2) {
    for (int64_t at = 0; at < size; at += 2 * step) {
      combine<-1>(values.data() + at, values.data() + at + step, step);
    }
  }
  if (step < size) transform_steps<-1>(values, step);
}
void zeta_transform(std::span<double> dividends) { transform<1>(dividends); }

}  // namespace ascribe::core
