// A file that may be too large for memory: it is written piece by piece, at any place, and appears whole under its
// name, or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ascribe::core {

class OutputFile {
 public:
  // Refuses to replace a file unless `overwrite`, and a disk without room for `size` bytes. Complaints are of kind io.
  OutputFile(std::filesystem::path path, bool overwrite, uint64_t size = 0);
  ~OutputFile();  // without finish: nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view bytes);  // behind what was appended before
  void write_at(int64_t position, std::string_view bytes);
  void finish();  // on the disk, under its name

 private:
  std::filesystem::path path_, temporary_;
  bool overwrite_;
  int file_ = -1;
  int64_t end_ = 0;
};

}  // namespace ascribe::core
