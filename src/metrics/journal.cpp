#include "metrics/journal.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"

namespace ascribe::core {

namespace {

constexpr size_t kLargest = size_t{1} << 32;
constexpr size_t kDifferencesNamed = 3;
constexpr size_t kOpening = 18;  // characters that tell the beginning of a journal from other files

std::string line_text(const Json& json) { return json.dump(-1) + '\n'; }

[[noreturn]] void damaged(const std::string& path, size_t line, const Error& why) {
  fail(ErrorKind::io, path, "line {} of the journal is damaged; delete the file to start again ({})", line,
       why.message());
}

// A value in a complaint, which need not be long.
std::string shown(const Json* value) {
  if (value == nullptr) return "nothing";
  const std::string text = value->is_text() ? value->text() : value->dump(-1);
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

[[noreturn]] void cannot(const std::string& path, std::string_view what) {
  fail(ErrorKind::io, path, "cannot {} the journal; {}", what, std::strerror(errno));
}

struct Content {
  std::vector<Json> lines;
  size_t whole = 0;  // bytes of the lines that are whole
};

Content content_of(const std::string& bytes, const std::string& path) {
  Content content;
  while (content.whole < bytes.size()) {
    const size_t end = bytes.find('\n', content.whole);
    if (end == std::string::npos) break;  // torn
    try {
      Json line = parse_json(std::string_view(bytes).substr(content.whole, end - content.whole), path);
      JsonPlace(line, path).members();
      content.lines.push_back(std::move(line));
    } catch (const Error& error) {
      damaged(path, content.lines.size() + 1, error);
    }
    content.whole = end + 1;
  }
  return content;
}

// A file without a whole line is either the torn beginning of a journal, or somebody's.
void check_beginning(const std::string& bytes, const std::string& fingerprint, const std::string& path) {
  const size_t length = std::min(bytes.size(), kOpening);
  if (bytes.compare(0, length, fingerprint, 0, length) != 0) {
    fail(ErrorKind::io, path, "this is not a journal; delete the file, or choose another output");
  }
}

}  // namespace

std::string differences(const Json& there, const Json& now) {
  // Either may be a hostile file's, of many members.
  std::map<std::string_view, std::pair<const Json*, const Json*>> both;
  for (const JsonMember& member : there.members()) both[member.key].first = &member.value;
  for (const JsonMember& member : now.members()) both[member.key].second = &member.value;
  size_t different = 0;
  std::vector<std::string> texts;
  const auto compare = [&](const std::string& key) {
    const auto [a, b] = both[key];
    if (a != nullptr && b != nullptr && *a == *b) return;
    if (different++ < kDifferencesNamed) {
      texts.push_back(fmt::format("{}: {} there, {} now", key, shown(a), shown(b)));
    }
  };
  for (const JsonMember& member : now.members()) compare(member.key);
  for (const JsonMember& member : there.members()) {
    if (both[member.key].second == nullptr) compare(member.key);
  }
  if (texts.empty()) return "the order";
  const size_t more = different - texts.size();
  return fmt::format("{}{}", fmt::join(texts, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

Journal::Journal(std::string path, const Json& fingerprint, bool force) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) cannot(path_, "open");
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      fail(ErrorKind::io, path_, "another run is writing this journal; wait until it ends, or choose another output");
    }
    const std::string bytes = read_file(path_, kLargest), first = line_text(fingerprint);
    Content content = content_of(bytes, path_);
    const Json now = parse_json(first, path_);  // as it would be read
    if (content.lines.empty()) check_beginning(bytes, first, path_);
    if (!content.lines.empty() && content.lines[0] != now) {
      if (!force) {
        fail(ErrorKind::io, path_,
             "unfinished work with other settings is kept here ({}); `force` discards it, or choose another output",
             differences(content.lines[0], now));
      }
      content = {};
    }
    if (::ftruncate(file_, static_cast<off_t>(content.whole)) != 0) cannot(path_, "write");
    if (content.lines.empty()) append(now);
    else lines_.assign(std::next(content.lines.begin()), content.lines.end());
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), lines_(std::move(other.lines_)) {}

void Journal::replay(const std::function<void(const JsonPlace&)>& remember) const {
  for (size_t i = 0; i < lines_.size(); ++i) {
    try {
      remember(JsonPlace(lines_[i], path_));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io) throw;
      damaged(path_, i + 2, error);
    }
  }
}

void Journal::append(const Json& line) {
  const std::string text = line_text(line);
  const off_t before = ::lseek(file_, 0, SEEK_END);
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int reason = errno;
      if (::ftruncate(file_, before) == 0) errno = reason;  // no torn line in the middle
      cannot(path_, "write");
    }
    done += static_cast<size_t>(count);
  }
}

}  // namespace ascribe::core
