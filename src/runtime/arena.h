// Where temporary values lie: buffers whose lifetimes do not overlap share memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ascribe::core {

struct Buffer {
  size_t bytes = 0;
  int first = 0;  // the step that writes it
  int last = 0;   // the last step that reads it
  size_t offset = 0;
};

// Chooses offsets, largest buffers first, each at the lowest place that is free during
// its life. Returns the size of the arena.
size_t place_buffers(std::vector<Buffer>& buffers);

// Memory that grows on demand and never shrinks; its address changes when it grows.
class Arena {
 public:
  std::byte* reserve(size_t bytes);
  std::byte* base() const { return memory_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t size_ = 0;
};

}  // namespace ascribe::core
