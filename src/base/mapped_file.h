// A file in memory without a copy: the system reads its pages when they are touched, and takes them back when it needs
// room. What becomes of the file meanwhile is found, never overlooked: a file that was written or cut off since it was
// mapped is refused by check(), and reading behind its new end gives zeros instead of ending the process (a handler of
// SIGBUS sees to it; signals of other addresses go to whoever had it before).
#pragma once

#include <cstddef>
#include <ctime>
#include <memory>
#include <string>

namespace ascribe::core {

class MappedFile {
 public:
  // The first `size` bytes of an open regular file; null where the system does not map it.
  static std::shared_ptr<const MappedFile> map(int descriptor, size_t size, const std::string& name);
  // The one that this address lies in; null: none.
  static std::shared_ptr<const MappedFile> holding(const void* address);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  // Refuses to go on if the file has changed: what was read of it since may be wrong.
  void check() const;

 private:
  MappedFile() = default;

  std::string name_;
  int descriptor_ = -1;
  const char* data_ = nullptr;
  size_t size_ = 0;
  timespec written_{};
  int slot_ = -1;
};

// Lets the pages of a mapped file go that lie wholly within these bytes; they are read again when they are touched.
// Does nothing elsewhere.
void forget_mapped(const void* data, size_t bytes);

}  // namespace ascribe::core
