// A part of work that several processes share: a file of its own, checked by whoever puts the parts together
// (docs/howto/shards.md). All numbers are little-endian.
//
//   file    "ascribe part 1\n\0", a HEAD frame, DATA frames, an END! frame
//   frame   a tag of 4 bytes, CRC-32 of the rest (4 bytes), length (8 bytes), content
//   HEAD    JSON: PartHeader
//   DATA    the items that it is about: how many ranges (4 bytes), each as first and end (8 bytes each); then a body
//   that
//           the kind of the work decides on
//   END!    how many DATA frames (8 bytes), how many items (8 bytes), SHA-256 of all bytes before (64 digits)
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_place.h"
#include "base/sha256.h"

namespace ascribe::core::study {

// Work is a list of items, counted from 0: samples as a rule.
struct ItemRange {
  int64_t first = 0, end = 0;  // the end is not part of it
  friend bool operator==(const ItemRange&, const ItemRange&) = default;
};
using Items = std::vector<ItemRange>;  // rising, and with gaps in between

Items items_of(std::span<const int64_t> numbers);  // in any order; one that is there twice is refused
int64_t count_of(const Items& items);
bool has_items(const Items& items, const ItemRange& range);  // all of it
bool add_items(Items& items, const ItemRange& range);        // false: some of it is there already
std::string items_text(const Items& items);                  // "0 to 63, 128"

struct PartHeader {
  std::string kind;   // "explain", "evaluate", "game"
  std::string model;  // SHA-256 of the file, or a name if there is none
  uint64_t seed = 0;
  std::string version = ASCRIBE_VERSION;
  std::string precision;
  Json settings = Json::object();  // everything else that determines results
  int64_t items = 0;               // of the whole work
  Items holds = {};                // those that are meant to be here
  // What whoever puts the parts together wants to know and need not be the same everywhere: the path of the model.
  Json about = Json::object();

  Json identity() const;              // what all parts of a work have in common
  std::string settings_hash() const;  // SHA-256 of it
  // Follows from the kind and the items: "explain-000512-000575.part". Parts of other work belong in other folders.
  std::string file_name() const;
};
Json to_json(const PartHeader& header);
PartHeader part_header(const JsonPlace& place);  // complaints are of kind io

// "seed: 0 there, 1 now"; empty: they are of the same work
std::string differences(const PartHeader& there, const PartHeader& now);

struct PartBlock {
  Items items;
  std::string body;
};

inline constexpr std::string_view kPartSuffix = ".part", kGrowingSuffix = ".part.growing";

// Bytes of a file, for those who write one.
std::string part_beginning(const PartHeader& header);
std::string part_frame(const PartBlock& block);
std::string part_end(int64_t blocks, int64_t items, const std::string& sha256_before);

// Goes through a part. A finished one is an error of kind io as soon as anything about it is wrong; of one that grows,
// everything from there on does not count.
class PartReader {
 public:
  explicit PartReader(const std::filesystem::path& path, bool growing = false);
  ~PartReader();
  PartReader(PartReader&& other) noexcept;
  PartReader& operator=(PartReader&&) = delete;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  const PartHeader& header() const { return header_; }
  // The next block; nothing at the end, which is where a finished part has been checked as a whole.
  std::optional<PartBlock> next();
  int64_t position() const { return position_; }  // of what comes next
  PartBlock block_at(int64_t position) const;     // once more; what `next` was, or will be, there

  const Items& items() const { return items_; }  // that were read so far
  int64_t blocks() const { return blocks_; }
  const Sha256& sha256_so_far() const { return sum_; }
  const std::string& sha256_of_blocks() const { return end_; }  // of a finished part that was read: tells its content

 private:
  struct Frame {
    std::string tag, content;
    int64_t after = 0;
  };
  [[noreturn]] void damaged(const std::string& what) const;
  std::string bytes(int64_t from, int64_t count) const;
  Frame frame_at(int64_t position) const;
  PartBlock block_of(const Frame& frame) const;
  void check_end(const Frame& frame);
  std::optional<PartBlock> next_checked();

  std::string path_;
  bool growing_;
  int file_ = -1;
  int64_t size_ = 0, position_ = 0, blocks_ = 0;
  PartHeader header_;
  Items items_;
  Sha256 sum_;
  std::string end_;
};

}  // namespace ascribe::core::study
