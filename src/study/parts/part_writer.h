// Writing parts: one that grows with the work and survives its end at any moment, or a finished one at once. Under its
// final name a part is always whole.
#pragma once

#include "study/parts/part_file.h"

namespace ascribe::core::study {

class PartWriter {
 public:
  // In a folder, which is made if the one above is there. What an earlier run left is gone on with; what is not whole
  // at its end is cut off. A finished part is checked. Parts of other work are refused, kind io, saying what differs,
  // unless `force`: then one of the same name is begun anew.
  PartWriter(const std::filesystem::path& folder, PartHeader header, bool force = false);
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  const std::filesystem::path& path() const { return path_; }             // under which it will be finished
  const std::filesystem::path& growing_path() const { return growing_; }  // until then
  bool finished() const { return finished_; }                             // by an earlier run, or by `finish`
  const Items& done() const { return done_; }
  bool knows(const Items& items) const;  // all of them are there

  // The items are in no block yet. It is in the file when this returns, and on the disk at most a second later.
  void append(const PartBlock& block);
  void finish();  // all items are there

 private:
  void open_growing();
  void go_on(bool force);
  void write(std::string_view bytes);

  std::filesystem::path folder_, path_, growing_;
  PartHeader header_;
  int file_ = -1;
  bool finished_ = false;
  int64_t blocks_ = 0;
  Items done_;
  Sha256 sum_;
  double synced_ = 0;  // when
};

// A finished part in one go, by however many processes at a time: whoever comes second finds it there. Gives its path.
// One of other work under this name, or one that is damaged, is refused unless `force`.
std::string write_part(const std::filesystem::path& folder, const PartHeader& header, std::span<const PartBlock> blocks,
                       bool force = false);

}  // namespace ascribe::core::study
