// What a folder of parts holds, and whether it is all of a work.
#pragma once

#include <map>

#include "base/progress.h"
#include "study/parts/part_file.h"

namespace ascribe::core::study {

struct FoundPart {
  std::string path;
  bool growing = false;              // not finished
  std::optional<PartHeader> header;  // nothing: it cannot be read
  std::string problem;               // why
};

// By name; only the headers are read.
std::vector<FoundPart> parts_in(const std::filesystem::path& folder);

// Complains, kind io, of finished parts in the folder that cannot be put together with one of this header: of other
// work, or of some of its items under another name. Of many parts it looks at some.
void check_neighbours(const std::filesystem::path& folder, const PartHeader& header);

// All parts of a work, read and checked from beginning to end.
class WholeWork {
 public:
  // Complains, kind io, of a folder without parts.
  explicit WholeWork(const std::filesystem::path& folder, const Progress& progress = {});

  // What is wrong: parts that are damaged, unfinished, of other work or doubled, and items that are missing.
  const std::vector<std::string>& problems() const { return problems_; }
  void check() const;  // complains of them, kind io

  const PartHeader& header() const { return header_; }  // of one of the parts
  const std::vector<std::string>& parts() const { return paths_; }

  struct Place {
    ItemRange range;
    size_t part = 0;
    int64_t position = 0;  // of the block
    int64_t before = 0;    // items of the block before these
  };
  const std::vector<Place>& places() const { return places_; }  // in the order of the items
  PartBlock block(const Place& place) const;                    // which is checked once more

 private:
  std::string folder_;
  PartHeader header_;
  std::vector<std::string> paths_, problems_;
  std::vector<Place> places_;
  mutable std::map<size_t, PartReader> open_;  // some of the parts
};

}  // namespace ascribe::core::study
