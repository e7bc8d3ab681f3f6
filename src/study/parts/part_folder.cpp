#include "study/parts/part_folder.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/watch.h"

namespace ascribe::core::study {

namespace {

namespace fs = std::filesystem;

constexpr size_t kNeighbours = 256;  // parts that are looked at before one is begun
constexpr size_t kMostOpen = 64;
constexpr int64_t kMostNamed = 40;  // in one message

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.ends_with(kPartSuffix) || name.ends_with(kGrowingSuffix)) paths.push_back(it->path());
  }
  if (error) fail(ErrorKind::io, folder.string(), "cannot read the folder; {}", error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

FoundPart look(const fs::path& path) {
  FoundPart found{path.string(), path.filename().string().ends_with(kGrowingSuffix), {}, {}};
  try {
    found.header = PartReader(path, found.growing).header();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    found.problem = error.message();
  }
  return found;
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

// Items of several parts, each with the part that has it.
class Owners {
 public:
  struct Owned {
    int64_t end = 0;
    size_t part = 0;
  };

  // The parts that have some of it already, with what they have.
  std::vector<std::pair<size_t, ItemRange>> add(const ItemRange& range, size_t part) {
    std::vector<std::pair<size_t, ItemRange>> doubled;
    auto it = owned_.upper_bound(range.first);
    if (it != owned_.begin() && std::prev(it)->second.end > range.first) --it;
    for (; it != owned_.end() && it->first < range.end; ++it) {
      doubled.push_back({it->second.part, {std::max(range.first, it->first), std::min(range.end, it->second.end)}});
    }
    int64_t next = range.first;
    for (const auto& [other, items] : doubled) {
      if (items.first > next) owned_[next] = {items.first, part};
      next = items.end;
    }
    if (next < range.end) owned_[next] = {range.end, part};
    return doubled;
  }

  Items missing(int64_t items) const {
    Items list;
    int64_t next = 0;
    for (const auto& [first, owned] : owned_) {
      if (first > next) list.push_back({next, first});
      next = owned.end;
    }
    if (next < items) list.push_back({next, items});
    return list;
  }

 private:
  std::map<int64_t, Owned> owned_;
};

// The header that most parts agree with.
const PartHeader* usual(const std::vector<FoundPart>& found) {
  std::map<std::string, size_t> counts;
  const PartHeader* best = nullptr;
  for (const FoundPart& part : found) {
    if (part.header) ++counts[part.header->settings_hash()];
  }
  for (const FoundPart& part : found) {
    if (part.header && (best == nullptr || counts[part.header->settings_hash()] > counts[best->settings_hash()])) {
      best = &*part.header;
    }
  }
  return best;
}

// Goes through everything that is there and writes down what is wrong.
struct Inspection {
  const PartHeader& whole;
  const std::vector<FoundPart>& found;
  std::vector<std::string> complaints = {};
  Owners owners = {};

  void complain(const FoundPart& part, const std::string& what) {
    complaints.push_back(fmt::format("{}: {}", name_of(part.path), what));
  }

  void own(size_t i) {
    std::map<size_t, Items> doubled;
    for (const ItemRange& range : found[i].header->holds) {
      for (const auto& [part, items] : owners.add(range, i)) doubled[part].push_back(items);
    }
    for (const auto& [part, items] : doubled) {
      complain(found[i], fmt::format("doubled: {} has items {} too", name_of(found[part].path), items_text(items)));
    }
  }

  bool belongs(const FoundPart& part) {
    if (!part.header) {
      complain(part, part.growing ? "unfinished: not even begun; start its shard again" : part.problem);
      return false;
    }
    if (const std::string other = differences(*part.header, whole); !other.empty()) {
      complain(part, fmt::format("foreign: of other work ({})", other));
      return false;
    }
    return true;
  }

  // All blocks of a part, or a complaint.
  template <class Found>
  void read(size_t i, const Found& block) {
    const FoundPart& part = found[i];
    if (!belongs(part)) return;
    try {
      PartReader reader(part.path, part.growing);
      const auto step = [&] {
        const int64_t position = reader.position();
        const auto next = reader.next();
        if (next && !part.growing) block(*next, position);
        return next.has_value();
      };
      while (step()) poll();
      if (part.growing) {
        complain(part, fmt::format("unfinished: {} of {} items are there; start its shard again",
                                   count_of(reader.items()), count_of(part.header->holds)));
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io) throw;
      complain(part, error.message());
    }
    own(i);
  }
};

}  // namespace

std::vector<FoundPart> parts_in(const fs::path& folder) {
  std::vector<FoundPart> found;
  for (const fs::path& path : paths_in(folder)) {
    poll();
    found.push_back(look(path));
  }
  return found;
}

void check_neighbours(const fs::path& folder, const PartHeader& header) {
  const std::string own = header.file_name();
  std::vector<fs::path> paths = paths_in(folder);
  if (paths.size() > kNeighbours) paths.resize(kNeighbours);
  for (const fs::path& path : paths) {
    const FoundPart part = look(path);
    if (!part.header || fs::path(name_of(part.path)).stem().stem() == fs::path(own).stem()) continue;
    if (const std::string other = differences(*part.header, header); !other.empty()) {
      fail(ErrorKind::io, part.path, "a part of other work is in this folder ({}); choose another folder", other);
    }
    Items items = part.header->holds;
    for (const ItemRange& range : header.holds) {
      if (add_items(items, range)) continue;
      fail(ErrorKind::io, part.path,
           "this part has some of items {} already: the work was cut into other shards before; choose another folder",
           items_text({range}));
    }
  }
}

WholeWork::WholeWork(const fs::path& folder, const Progress& progress) : folder_(folder.string()) {
  const std::vector<FoundPart> found = parts_in(folder);
  if (found.empty()) fail(ErrorKind::io, folder.string(), "there are no parts in this folder");
  const PartHeader* whole = usual(found);
  if (whole == nullptr) fail(ErrorKind::io, found[0].path, "{}", found[0].problem);
  header_ = *whole;
  Inspection inspection{*whole, found};
  for (size_t i = 0; i < found.size(); ++i) {
    report(progress, "checking parts", static_cast<int64_t>(i), std::ssize(found));
    const size_t part = paths_.size();
    inspection.read(i, [&](const PartBlock& block, int64_t position) {
      int64_t before = 0;
      for (const ItemRange& range : block.items) {
        places_.push_back({range, part, position, before});
        before += range.end - range.first;
      }
    });
    paths_.push_back(found[i].path);
  }
  if (const Items missing = inspection.owners.missing(header_.items); !missing.empty()) {
    inspection.complaints.push_back(
        fmt::format("missing: items {} of {} are in no part", items_text(missing), header_.items));
  }
  problems_ = std::move(inspection.complaints);
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.range.first < b.range.first; });
}

void WholeWork::check() const {
  if (problems_.empty()) return;
  std::vector<std::string> some(problems_.begin(),
                                problems_.begin() + std::min<int64_t>(kMostNamed, std::ssize(problems_)));
  if (problems_.size() > some.size()) some.push_back(fmt::format("and {} more", problems_.size() - some.size()));
  fail(ErrorKind::io, folder_, "the parts cannot be put together: {}", fmt::join(some, "; "));
}

PartBlock WholeWork::block(const Place& place) const {
  auto it = open_.find(place.part);
  if (it == open_.end()) {
    if (open_.size() >= kMostOpen) open_.clear();
    it = open_.emplace(place.part, PartReader(paths_[place.part])).first;
  }
  return it->second.block_at(place.position);
}

}  // namespace ascribe::core::study
