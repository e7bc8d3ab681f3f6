#include "metrics/journal.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLargest = size_t{1} << 32;
constexpr size_t kDifferencesNamed = 3;

std::string line_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'; }

Json parsed(std::string_view line) { return Json::parse(line, nullptr, false); }

// A value in a complaint, which need not be long.
std::string shown(const Json* value) {
  if (value == nullptr) return "nothing";
  const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

const Json* member(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// "seed: 0 there, 1 now"
std::string differences(const Json& there, const Json& now) {
  std::vector<std::string> texts;
  const auto compare = [&](const std::string& key) {
    const Json *a = member(there, key), *b = member(now, key);
    if (a == nullptr || b == nullptr || *a != *b) {
      texts.push_back(fmt::format("{}: {} there, {} now", key, shown(a), shown(b)));
    }
  };
  for (const auto& item : now.items()) compare(item.key());
  for (const auto& item : there.items()) {
    if (!now.contains(item.key())) compare(item.key());
  }
  if (texts.empty()) return "the order";
  const size_t more = texts.size() - std::min(texts.size(), kDifferencesNamed);
  texts.resize(texts.size() - more);
  return fmt::format("{}{}", fmt::join(texts, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
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
  for (size_t number = 1; content.whole < bytes.size(); ++number) {
    const size_t end = bytes.find('\n', content.whole);
    if (end == std::string::npos) break;  // torn
    Json line = parsed(std::string_view(bytes).substr(content.whole, end - content.whole));
    if (line.is_discarded() || !line.is_object()) {
      if (end + 1 == bytes.size() && number > 1) break;
      fail(ErrorKind::io, path, "line {} of the journal is damaged; delete the file to start again", number);
    }
    content.lines.push_back(std::move(line));
    content.whole = end + 1;
  }
  return content;
}

}  // namespace

Journal::Journal(std::string path, const Json& fingerprint, bool force) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) cannot(path_, "open");
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      fail(ErrorKind::io, path_, "another run is writing this journal; wait until it ends, or choose another output");
    }
    Content content = content_of(read_file(path_, kLargest), path_);
    const Json now = parsed(line_text(fingerprint));
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

void Journal::append(const Json& line) {
  const std::string text = line_text(line);
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot(path_, "write");
    done += static_cast<size_t>(count);
  }
}

void Journal::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace ascribe::core
