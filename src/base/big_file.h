// A file that is too large for memory, written at any place and in any order. It has no name before it is finished.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace ascribe::core {

class BigFile {
 public:
  // Refuses to replace a file unless `overwrite`, and a disk without room for `size` bytes.
  BigFile(std::filesystem::path path, uint64_t size, bool overwrite);
  ~BigFile();
  BigFile(const BigFile&) = delete;
  BigFile& operator=(const BigFile&) = delete;

  void write(uint64_t at, std::string_view bytes);
  void finish();  // it is on the disk, under its name

 private:
  [[noreturn]] void cannot(int reason) const;

  std::filesystem::path path_, temporary_;
  bool overwrite_;
  int file_ = -1;
};

}  // namespace ascribe::core
