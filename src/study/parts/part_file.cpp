#include "study/parts/part_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "metrics/journal.h"

namespace ascribe::core::study {

namespace {

constexpr std::string_view kMagic("ascribe part 1\n\0", 16);
constexpr std::string_view kHead = "HEAD", kData = "DATA", kEnd = "END!";
constexpr int64_t kFrame = 16;  // bytes before the content
constexpr int64_t kLongestHeader = int64_t{1} << 26;
constexpr int64_t kMostItems = int64_t{1} << 53;
constexpr size_t kDigits = 64, kMostRanges = 6;

template <class T>
void put(std::string& bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(static_cast<uint64_t>(value) >> 8 * i & 0xFF);
}

template <class T>
T get(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << 8 * i;
  return static_cast<T>(value);
}

std::string frame(std::string_view tag, std::string_view content) {
  std::string length;
  put<uint64_t>(length, content.size());
  std::string bytes(tag);
  put<uint32_t>(bytes, checksum(content, checksum(length, checksum(tag))));
  return bytes.append(length).append(content);
}

// Behind the others, joined to the last where they touch; false: it does not come after them.
bool add_range(Items& items, const ItemRange& range) {
  if (range.first < 0 || range.end <= range.first || (!items.empty() && range.first < items.back().end)) return false;
  if (!items.empty() && items.back().end == range.first) items.back().end = range.end;
  else items.push_back(range);
  return true;
}

void flatten(Json& flat, const std::string& path, const Json& json) {
  if (!json.is_object()) {
    flat.members().push_back({path, json});  // not by name, which looks through all of them
    return;
  }
  for (const JsonMember& member : json.members()) {
    flatten(flat, path.empty() ? member.key : path + "." + member.key, member.value);
  }
}

Json ranges_json(const Items& items) {
  Json list = Json::list();
  for (const ItemRange& range : items) list.push(Json(std::vector{range.first, range.end}));
  return list;
}

Items ranges_from(const JsonPlace& list, int64_t most) {
  Items items;
  for (const JsonPlace& one : list.items()) {
    if (one.length() != 2) one.complain("a list of two numbers");
    if (!add_range(items, {one.item(0).whole(0, most), one.item(1).whole(0, most)})) {
      one.refuse("is not a range behind the one before it");
    }
  }
  return items;
}

}  // namespace

Items items_of(std::span<const int64_t> numbers) {
  std::vector<int64_t> rising(numbers.begin(), numbers.end());
  std::sort(rising.begin(), rising.end());
  Items items;
  for (const int64_t number : rising) {
    if (!add_range(items, {number, number + 1})) {
      fail(ErrorKind::argument, "numbers", "{} is {}; expected numbers from 0, each once", number,
           number < 0 ? "negative" : "there twice");
    }
  }
  return items;
}

int64_t count_of(const Items& items) {
  int64_t count = 0;
  for (const ItemRange& range : items) count += range.end - range.first;
  return count;
}

bool has_items(const Items& items, const ItemRange& range) {
  return std::any_of(items.begin(), items.end(),
                     [&](const ItemRange& one) { return one.first <= range.first && range.end <= one.end; });
}

bool add_items(Items& items, const ItemRange& range) {
  auto after = std::upper_bound(items.begin(), items.end(), range.first,
                                [](int64_t first, const ItemRange& one) { return first < one.first; });
  const bool joins_next = after != items.end() && after->first == range.end;
  if (after != items.end() && after->first < range.end) return false;
  if (after == items.begin()) {
    if (joins_next) after->first = range.first;
    else items.insert(after, range);
    return true;
  }
  const auto before = std::prev(after);
  if (before->end > range.first) return false;
  const bool joins = before->end == range.first;
  if (joins && joins_next) {
    before->end = after->end;
    items.erase(after);
  } else if (joins) {
    before->end = range.end;
  } else if (joins_next) {
    after->first = range.first;
  } else {
    items.insert(after, range);
  }
  return true;
}

std::string items_text(const Items& items) {
  std::vector<std::string> texts;
  for (const ItemRange& range : items) {
    if (texts.size() == kMostRanges) {
      texts.push_back(fmt::format("... ({} in all)", count_of(items)));
      break;
    }
    texts.push_back(range.end == range.first + 1 ? fmt::format("{}", range.first)
                                                 : fmt::format("{} to {}", range.first, range.end - 1));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

// ---- the header ----

Json PartHeader::identity() const {
  return Json::object({{"kind", kind},
                       {"model", model},
                       {"seed", std::to_string(seed)},  // all 64 bits
                       {"version", version},
                       {"precision", precision},
                       {"items", items},
                       {"settings", settings}});
}

std::string PartHeader::settings_hash() const { return sha256(identity().dump(-1)); }

std::string PartHeader::file_name() const {
  require(!holds.empty(), "part", "a part has items");
  const size_t width = std::max<size_t>(6, std::to_string(items).size());
  std::string name = fmt::format("{}-{:0{}}-{:0{}}", kind, holds.front().first, width, holds.back().end - 1, width);
  if (holds.size() > 1) name += "-" + sha256(ranges_json(holds).dump(-1)).substr(0, 12);
  return name.append(kPartSuffix);
}

Json to_json(const PartHeader& header) {
  Json json = Json::object({{"ascribe_part", 1}});
  json.update(header.identity());
  json["settings_sha256"] = header.settings_hash();
  json["holds"] = ranges_json(header.holds);
  json["about"] = header.about;
  return json;
}

PartHeader part_header(const JsonPlace& place) {
  place.at("ascribe_part").whole(1, 1);
  PartHeader header;
  header.kind = place.text("kind");
  header.model = place.text("model");
  const std::string seed = place.text("seed");
  if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != std::string::npos) {
    place.at("seed").complain("a whole number as text");
  }
  header.seed = std::strtoull(seed.c_str(), nullptr, 10);
  header.version = place.text("version");
  header.precision = place.text("precision");
  header.items = place.at("items").whole(1, kMostItems);
  place.at("settings").members();
  header.settings = place.at("settings").json();
  header.holds = ranges_from(place.at("holds"), header.items);
  if (header.holds.empty()) place.at("holds").refuse("is empty; expected the items of the part");
  place.at("about").members();
  header.about = place.at("about").json();
  if (place.text("settings_sha256") != header.settings_hash()) {
    place.at("settings_sha256").refuse("is not that of the settings");
  }
  return header;
}

std::string differences(const PartHeader& there, const PartHeader& now) {
  if (there.settings_hash() == now.settings_hash()) return "";
  Json a = Json::object(), b = Json::object();
  flatten(a, "", there.identity());
  flatten(b, "", now.identity());
  return differences(a, b);
}

// ---- writing ----

std::string part_beginning(const PartHeader& header) {
  return std::string(kMagic) + frame(kHead, to_json(header).dump(-1));
}

std::string part_frame(const PartBlock& block) {
  std::string content;
  put<uint32_t>(content, static_cast<uint32_t>(block.items.size()));
  for (const ItemRange& range : block.items) {
    put<int64_t>(content, range.first);
    put<int64_t>(content, range.end);
  }
  return frame(kData, content + block.body);
}

std::string part_end(int64_t blocks, int64_t items, const std::string& sha256_before) {
  std::string content;
  put<int64_t>(content, blocks);
  put<int64_t>(content, items);
  return frame(kEnd, content + sha256_before);
}

// ---- reading ----

PartReader::PartReader(const std::filesystem::path& path, bool growing) : path_(path.string()), growing_(growing) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) fail(ErrorKind::io, path_, "cannot open the part; {}", std::strerror(errno));
  try {
    struct stat info {};
    if (::fstat(file_, &info) != 0) fail(ErrorKind::io, path_, "cannot read the part; {}", std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail(ErrorKind::io, path_, "not a regular file; expected a part");
    size_ = static_cast<int64_t>(info.st_size);
    if (size_ < std::ssize(kMagic) || bytes(0, std::ssize(kMagic)) != kMagic) damaged("it does not begin as a part");
    position_ = std::ssize(kMagic);
    const Frame head = frame_at(position_);
    if (head.tag != kHead || std::ssize(head.content) > kLongestHeader) damaged("it has no header");
    header_ = part_header(JsonPlace(parse_json(head.content, path_), path_));
    position_ = head.after;
    sum_.add(bytes(0, position_));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

PartReader::~PartReader() {
  if (file_ >= 0) ::close(file_);
}

PartReader::PartReader(PartReader&& other) noexcept
    : path_(std::move(other.path_)),
      growing_(other.growing_),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      position_(other.position_),
      blocks_(other.blocks_),
      header_(std::move(other.header_)),
      items_(std::move(other.items_)),
      sum_(std::move(other.sum_)),
      end_(std::move(other.end_)) {}

void PartReader::damaged(const std::string& what) const { fail(ErrorKind::io, path_, "the part is damaged: {}", what); }

std::string PartReader::bytes(int64_t from, int64_t count) const {
  std::string result(static_cast<size_t>(count), '\0');
  for (int64_t done = 0; done < count;) {
    const ssize_t got = ::pread(file_, result.data() + done, static_cast<size_t>(count - done), from + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::io, path_, "cannot read the part; {}", std::strerror(errno));
    if (got == 0) damaged("it became shorter while it was read");
    done += got;
  }
  return result;
}

PartReader::Frame PartReader::frame_at(int64_t position) const {
  if (size_ - position < kFrame) damaged(fmt::format("it ends after {} bytes, in the middle", size_));
  const std::string head = bytes(position, kFrame);
  const auto length = get<uint64_t>(head, 8);
  if (length > static_cast<uint64_t>(size_ - position - kFrame)) {
    damaged(fmt::format("a frame at byte {} is longer than the file", position));
  }
  Frame frame{head.substr(0, 4), bytes(position + kFrame, static_cast<int64_t>(length)), 0};
  const uint32_t sum = checksum(frame.content, checksum(std::string_view(head).substr(8), checksum(frame.tag)));
  if (sum != get<uint32_t>(head, 4)) damaged(fmt::format("the checksum of the frame at byte {} is wrong", position));
  frame.after = position + kFrame + static_cast<int64_t>(length);
  return frame;
}

PartBlock PartReader::block_of(const Frame& frame) const {
  const std::string& content = frame.content;
  if (frame.tag != kData || content.size() < 4) damaged("a frame is of an unknown kind");
  const size_t count = get<uint32_t>(content, 0);
  if (count == 0 || count > (content.size() - 4) / 16) damaged("a frame does not say its items");
  PartBlock block;
  for (size_t i = 0; i < count; ++i) {
    const ItemRange range{get<int64_t>(content, 4 + 16 * i), get<int64_t>(content, 12 + 16 * i)};
    if (!add_range(block.items, range)) damaged("the items of a frame are not in order");
  }
  block.body = content.substr(4 + 16 * count);
  return block;
}

PartBlock PartReader::block_at(int64_t position) const { return block_of(frame_at(position)); }

void PartReader::check_end(const Frame& frame) {
  if (frame.content.size() != 16 + kDigits) damaged("its end is not as expected");
  if (get<int64_t>(frame.content, 0) != blocks_ || get<int64_t>(frame.content, 8) != count_of(items_) ||
      frame.content.substr(16) != sum_.digits()) {
    damaged("its end does not fit what is before");
  }
  if (frame.after != size_) damaged(fmt::format("{} bytes follow its end", size_ - frame.after));
  if (items_ != header_.holds) {
    damaged(fmt::format("it holds items {}; expected {}", items_text(items_), items_text(header_.holds)));
  }
  end_ = frame.content.substr(16);
}

std::optional<PartBlock> PartReader::next_checked() {
  const Frame frame = frame_at(position_);
  if (frame.tag == kEnd) {
    check_end(frame);
    return std::nullopt;
  }
  PartBlock block = block_of(frame);
  Items together = items_;
  for (const ItemRange& range : block.items) {
    if (!add_items(together, range)) damaged(fmt::format("it holds items {} twice", items_text({range})));
    if (!has_items(header_.holds, range)) {
      damaged(fmt::format("it holds items {}, which are not its own", items_text({range})));
    }
  }
  items_ = std::move(together);
  sum_.add(bytes(position_, frame.after - position_));
  position_ = frame.after;
  ++blocks_;
  return block;
}

std::optional<PartBlock> PartReader::next() {
  if (!end_.empty()) return std::nullopt;
  if (!growing_) return next_checked();
  try {
    return next_checked();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    return std::nullopt;  // torn
  }
}

}  // namespace ascribe::core::study
