// Random access to the bytes of a model: a file that stays on disk, or memory.
// Weights are read from it straight into tensors, so that they exist once, or stay in a large file
// (base/mapped_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/mapped_file.h"

namespace ascribe::core {

class ByteSource {
 public:
  ByteSource() = default;
  // Refuses folders and devices.
  static ByteSource open(const std::filesystem::path& path);
  static ByteSource of(std::string bytes, std::string name);
  // `location` beneath `folder`: no absolute path, no "..", no symbolic link on the way, no
  // file with a second name (a hard link may lead out of the folder), regular files only.
  static ByteSource open_beneath(const std::filesystem::path& folder, const std::string& location,
                                 std::string_view where);

  const std::string& name() const { return name_; }
  int64_t size() const { return size_; }
  // [offset, offset + out.size()) must lie inside; refuses otherwise.
  void read(int64_t offset, std::span<char> out) const;

  int descriptor() const;                                                // -1 for memory
  std::shared_ptr<const std::string> memory() const { return memory_; }  // null for a file
  // Of a large file; null for small ones, which are read, so that they may be replaced while they are in use.
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  struct File;
  static ByteSource of_descriptor(int descriptor, std::string name, bool refuse_hard_links);

  std::string name_;
  int64_t size_ = 0;
  std::shared_ptr<const File> file_;
  std::shared_ptr<const std::string> memory_;
  std::shared_ptr<const MappedFile> mapping_;
};

}  // namespace ascribe::core
