// A .npz file whose arrays are larger than memory: their shapes are known, and their rows come one after the other, of
// all arrays at the same time. Beyond 4 GiB it becomes a zip64 archive, which NumPy reads as well.
#pragma once

#include <string>
#include <vector>

#include "base/output_file.h"
#include "tensor/tensor.h"

namespace ascribe::core {

struct NpzField {
  std::string name;
  std::string code;  // of the elements, as NumPy has it: "<f8", "<i8", "|b1", "<U12"
  int64_t size = 0;  // of an element in bytes
  Shape shape;
};

class NpzStream {
 public:
  NpzStream(const std::filesystem::path& path, std::vector<NpzField> fields, bool overwrite);

  const std::vector<NpzField>& fields() const { return fields_; }
  void append(size_t field, std::string_view bytes);  // elements behind those before
  void finish();                                      // all of them are there

 private:
  struct Entry {
    std::string name, preamble;
    int64_t header = 0;  // where its local header lies
    int64_t bytes = 0;   // of the entry: the preamble and the elements
    int64_t next = 0;    // where the next elements go
    uint32_t sum = 0;
    std::string waiting = {};
  };
  std::string local_header(const Entry& entry) const;
  std::string central_header(const Entry& entry) const;
  void flush(Entry& entry);

  std::vector<NpzField> fields_;
  std::vector<Entry> entries_;
  OutputFile file_;
  int64_t directory_ = 0;  // where it lies
  bool large_ = false;     // zip64
};

}  // namespace ascribe::core
