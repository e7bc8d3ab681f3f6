#include "runtime/arena.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <sys/mman.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLargeAlignment = size_t{2} << 20;  // of large pages

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool alive_together(const Buffer& a, const Buffer& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

size_t place_buffers(std::vector<Buffer>& buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<size_t> placed;  // by offset
  size_t total = 0;
  for (const size_t index : order) {
    Buffer& buffer = buffers[index];
    size_t offset = 0;
    for (const size_t other : placed) {
      const Buffer& neighbour = buffers[other];
      if (!alive_together(buffer, neighbour)) continue;
      if (offset + buffer.bytes <= neighbour.offset) break;
      offset = std::max(offset, aligned(neighbour.offset + neighbour.bytes));
    }
    buffer.offset = offset;
    total = std::max(total, aligned(offset + buffer.bytes));
    const auto position = std::upper_bound(placed.begin(), placed.end(), offset,
                                           [&](size_t value, size_t other) { return value < buffers[other].offset; });
    placed.insert(position, index);
  }
  return total;
}

void Arena::Free::operator()(std::byte* memory) const { std::free(memory); }

std::byte* Arena::reserve(size_t bytes) {
  if (bytes <= size_ && memory_) return memory_.get();
  memory_.reset();
  size_ = aligned(std::max<size_t>(bytes, kAlignment));
  const bool large = size_ >= kLargeAlignment;
  if (large) size_ = (size_ + kLargeAlignment - 1) / kLargeAlignment * kLargeAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(large ? kLargeAlignment : kAlignment, size_)));
  if (large && memory_) ::madvise(memory_.get(), size_, MADV_HUGEPAGE);
  if (!memory_) {
    const size_t wanted = size_;
    size_ = 0;
    fail(ErrorKind::argument, "memory", "cannot allocate {} bytes; use a lower `memory`", wanted);
  }
  return memory_.get();
}

}  // namespace ascribe::core
