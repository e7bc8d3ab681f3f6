#include "study/records/run_log.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_place.h"
#include "base/sha256.h"
#include "base/watch.h"
#include "study/records/record.h"

namespace ascribe::core::study {

namespace run_log {

namespace {

constexpr const char* kFormat = "ascribe log";
constexpr int64_t kVersion = 1;
constexpr size_t kLargest = size_t{1} << 32;      // bytes of a log
constexpr size_t kLongestLine = size_t{1} << 24;  // bytes
constexpr JsonLimits kLimits{32, size_t{1} << 20};

std::string zeros() { return std::string(64, '0'); }

[[noreturn]] void cannot(const std::string& path, std::string_view what) {
  fail(ErrorKind::io, path, "cannot {} the log; {}", what, std::strerror(errno));
}

std::string now_text() {
  const std::time_t moment = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&moment, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

struct Torn {
  int64_t bytes = 0;
  std::string sha256;
};

struct Line : LogLine {
  std::string previous;
  std::optional<Torn> torn;  // what stands before it, if that is not a line
};

// Complains, kind io, of what is not a line as it was written, byte for byte.
Line parse_line(std::string_view text, const std::string& where) {
  Json json = parse_json(text, where, ErrorKind::io, kLimits);
  const JsonPlace place(json, where);
  if (place.text("log") != kFormat) place.at("log").refuse(fmt::format("is not '{}'", kFormat));
  if (place.at("version").whole(0, 1 << 20) != kVersion) place.at("version").refuse("is not known here");
  Line line;
  line.number = place.at("number").whole(1, int64_t{1} << 50);
  line.time = place.text("time");
  line.previous = place.text("previous");
  line.sha256 = place.text("sha256");
  line.run = place.at("run").json();
  place.at("run").members();
  if (place.has("torn")) {
    line.torn = Torn{place.at("torn").at("bytes").whole(1, int64_t{1} << 40), place.at("torn").text("sha256")};
  }
  if (json.dump(-1) != text) fail(ErrorKind::io, where, "it is not written as a log writes it");
  json.erase("sha256");
  if (sha256(json.dump(-1)) != line.sha256) fail(ErrorKind::io, where, "its hash is another");
  return line;
}

std::string text_of(const Line& line) {
  Json json = Json::object({{"log", kFormat},
                            {"version", kVersion},
                            {"number", line.number},
                            {"time", line.time},
                            {"previous", line.previous}});
  if (line.torn) json["torn"] = Json::object({{"bytes", line.torn->bytes}, {"sha256", line.torn->sha256}});
  json["run"] = line.run;
  json["sha256"] = sha256(json.dump(-1));
  return json.dump(-1);
}

// The log, open and locked for as long as this lives.
class OpenLog {
 public:
  explicit OpenLog(const std::string& path) : path_(path) {
    std::error_code ignored;
    const bool fresh = !std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file_ < 0 && errno == ELOOP) fail(ErrorKind::io, path, "the log is a symbolic link; expected the file itself");
    if (file_ < 0) cannot(path, "open");
    try {
      struct stat info {};
      if (::fstat(file_, &info) != 0) cannot(path, "read");
      if (!S_ISREG(info.st_mode)) fail(ErrorKind::io, path, "the log is not a regular file");
      lock();
      if (fresh) sync_folder();
    } catch (...) {
      ::close(file_);
      throw;
    }
  }
  ~OpenLog() { ::close(file_); }  // which gives the lock away
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;

  // What comes after the last line, but for the run: a torn end is told.
  Line next() const {
    const off_t size = ::lseek(file_, 0, SEEK_END);
    if (size < 0) cannot(path_, "read");
    Line line;
    line.number = 1;
    line.previous = zeros();
    // Two lines from the end, for the last may be torn.
    const std::string tail = read_tail(size);
    const size_t end = tail.rfind('\n');
    const std::string rest = end == std::string::npos ? tail : tail.substr(end + 1);
    if (!rest.empty()) {
      if (rest.size() > kLongestLine) fail(ErrorKind::io, path_, "this is not a log: its last line is too long");
      line.torn = Torn{std::ssize(rest), sha256(rest)};
    }
    if (end == std::string::npos) {
      // The torn beginning of a first line, or somebody's file.
      const std::string beginning = fmt::format("{{\"log\":\"{}\"", kFormat);
      const size_t length = std::min(rest.size(), beginning.size());
      if (rest.compare(0, length, beginning, 0, length) != 0) fail(ErrorKind::io, path_, "this is not a log");
      return line;
    }
    const size_t before = end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
    const size_t from = before == std::string::npos ? 0 : before + 1;
    try {
      const Line last = parse_line(std::string_view(tail).substr(from, end - from), path_);
      line.number = last.number + 1;
      line.previous = last.sha256;
    } catch (const Error& error) {
      fail(ErrorKind::io, path_, "the last line of the log is damaged, and nothing is appended to it ({})",
           error.message());
    }
    return line;
  }

  void append(const std::string& text) {
    const off_t before = ::lseek(file_, 0, SEEK_END);
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const int reason = errno;
        if (::ftruncate(file_, before) == 0) errno = reason;  // no torn line for want of room
        cannot(path_, "write");
      }
      done += static_cast<size_t>(count);
    }
    if (::fsync(file_) != 0) cannot(path_, "write");
  }

 private:
  void lock() const {
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) cannot(path_, "lock");
      poll();  // whoever waits may be stopped
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void sync_folder() const {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }

  // The last two lines at least, or all.
  std::string read_tail(off_t size) const {
    for (off_t length = 1 << 16;; length *= 4) {
      const off_t from = std::max<off_t>(0, size - length);
      std::string bytes(static_cast<size_t>(size - from), '\0');
      for (size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::pread(file_, bytes.data() + done, bytes.size() - done, from + static_cast<off_t>(done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) cannot(path_, "read");
        done += static_cast<size_t>(count);
      }
      const size_t last = bytes.rfind('\n');
      const bool enough = last != std::string::npos && last > 0 && bytes.rfind('\n', last - 1) != std::string::npos;
      if (from == 0 || enough) return bytes;
      if (bytes.size() > 3 * kLongestLine) fail(ErrorKind::io, path_, "this is not a log: its last line is too long");
    }
  }

  std::string path_;
  int file_ = -1;
};

}  // namespace

}  // namespace run_log

Json log_entry(const Json& record) {
  Json contents = Json::list();
  for (const Json& item : record["contents"].items()) {
    Json one = item;
    one.erase("path");
    one.erase("name");
    contents.push(std::move(one));
  }
  return Json::object({{"verb", record["verb"]},
                       {"program", record["program"]},
                       {"machine", record["machine"]},
                       {"threads", record["threads"]},
                       {"precision", record["precision"]},
                       {"seed", record["seed"]},
                       {"parameters", record["parameters"]},
                       {"contents", std::move(contents)},
                       {"request_sha256", sha256(record["request"].dump(-1))},
                       {"results_sha256", record["results"]["sha256"]},
                       {"record_sha256", hash_of_record(record)}});
}

void check_log(const std::string& path) { run_log::OpenLog(path).next(); }

std::string append_to_log(const std::string& path, const Json& run) {
  run_log::OpenLog log(path);
  run_log::Line line = log.next();
  line.run = run;
  line.time = run_log::now_text();
  const std::string text = run_log::text_of(line);
  if (text.size() > run_log::kLongestLine) fail(ErrorKind::io, path, "the entry is too long for a log");
  log.append((line.torn ? "\n" : "") + text + "\n");
  return run_log::parse_line(text, path).sha256;
}

LogCheck read_log(const std::string& path, const std::string& head) {
  using run_log::Line;
  const std::string bytes = read_file(path, run_log::kLargest);
  LogCheck check;
  check.head = run_log::zeros();
  std::optional<run_log::Torn> unread;  // a line that could not be read, which the next one has to tell
  std::string why;
  const auto bad = [&](int64_t number, const std::string& problem) {
    check.bad_line = number;
    check.problem = problem;
  };
  int64_t number = 0;
  for (size_t at = 0; at < bytes.size();) {
    poll();
    ++number;
    const size_t end = bytes.find('\n', at);
    const std::string_view text = std::string_view(bytes).substr(at, std::min(end, bytes.size()) - at);
    if (end == std::string::npos) {
      check.torn_end = true;
      if (unread) bad(number - 1, why);
      else bad(number, "the line is not whole: a run was interrupted while it wrote it, or the end was cut off");
      return check;
    }
    at = end + 1;
    Line line;
    try {
      line = run_log::parse_line(text, path);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io) throw;
      if (unread) {
        bad(number - 1, why);
        return check;
      }
      unread = run_log::Torn{std::ssize(text), sha256(text)};
      why = fmt::format("the line was changed, or is not one: {}", error.message());
      continue;
    }
    const bool told = line.torn && unread && line.torn->bytes == unread->bytes && line.torn->sha256 == unread->sha256;
    if (unread && !told) {
      bad(number - 1, why);
      return check;
    }
    if (line.torn && !unread) {
      bad(number, "it tells of a torn line before it that is not there");
      return check;
    }
    if (told) check.torn.push_back(number - 1);
    unread.reset();
    const int64_t expected = std::ssize(check.lines) + 1;
    if (line.number != expected || line.previous != check.head) {
      bad(number,
          fmt::format("it does not follow from the line before: it says that it is entry {} of the log, and {} is "
                      "expected{}; a line was removed, inserted or moved",
                      line.number, expected, line.number == expected ? ", but after another line" : ""));
      return check;
    }
    check.head = line.sha256;
    check.lines.push_back({line.number, line.time, line.sha256, std::move(line.run)});
  }
  if (unread) {
    bad(number, why);
    return check;
  }
  if (!head.empty() && head != check.head) {
    check.problem = fmt::format(
        "the chain is whole, but it does not end as expected: its head is {}; lines at its end are missing, or the log "
        "is "
        "another",
        check.head);
  }
  return check;
}

}  // namespace ascribe::core::study
