#include "cli/terminal.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "base/utf8.h"

namespace ascribe::core::cli {

namespace {

constexpr size_t kBarWidth = 30;

std::string colored(std::string_view text, int code) {
  const char* forbidden = std::getenv("NO_COLOR");
  const bool allowed = ::isatty(STDOUT_FILENO) == 1 && (forbidden == nullptr || *forbidden == '\0');
  return allowed ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

std::string printable(std::string_view text) { return visible_text(text); }

std::string green(std::string_view text) { return colored(text, 32); }
std::string red(std::string_view text) { return colored(text, 31); }
std::string blue(std::string_view text) { return colored(text, 34); }

Lines printable(Lines lines) {
  for (auto& line : lines) {
    for (std::string& cell : line) cell = printable(cell);
  }
  return lines;
}

void print_note(const std::string& note) { fmt::print(stderr, "ascribe: note: {}\n", printable(note)); }

namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What is left, at the pace so far. Work goes in parts that count from 0, each with a number of units of its own; a
// number that falls in the middle of a part belongs to a step of it.
class Estimate {
 public:
  void see(int64_t done, int64_t total, double now) {
    if (total <= 1) return;  // said before anything has begun
    const bool over = done_ >= total_ - 1 && done < done_;
    if (total != total_ || over) {
      if (total_ > 0) several_ = true;
      first_ = done_ = done;
      start_ = now;
    }
    done_ = std::max(done_, done);
    total_ = total;
  }

  // ", about 3 min left"; empty: nothing can be said yet.
  std::string left(double now) const {
    if (done_ <= first_ || now <= start_) return "";
    const double seconds = (now - start_) / static_cast<double>(done_ - first_) * static_cast<double>(total_ - done_);
    const char* of = several_ ? " of this part" : "";
    if (seconds < 45) return fmt::format(", less than a minute left{}", of);
    if (seconds < 90 * 60) return fmt::format(", about {:.0f} min left{}", std::max(1.0, seconds / 60), of);
    return fmt::format(", about {:.1f} h left{}", seconds / 3600, of);
  }

 private:
  int64_t first_ = 0, done_ = 0, total_ = 0;
  double start_ = 0;
  bool several_ = false;
};

}  // namespace

Progress progress_lines(std::function<double()> now, std::function<void(const std::string&)> line, double every) {
  return [now, line, every, last = now(), estimate = Estimate()](std::string_view task, int64_t done,
                                                                 int64_t total) mutable {
    const double time = now();
    estimate.see(done, total, time);
    if (done >= total || time - last < every) return;
    last = time;
    const std::string what = task.empty() ? "" : fmt::format("{}: ", task);
    if (total <= 1) line(what + "still at work");
    else line(fmt::format("{}{} of {}{}", what, done, total, estimate.left(time)));
  };
}

Progress shown_progress() {
  if (::isatty(STDERR_FILENO) != 1) {
    return progress_lines(steady_seconds, [](const std::string& line) {
      fmt::print(stderr, "ascribe: {}\n", printable(line));
      std::fflush(stderr);
    });
  }
  using Clock = std::chrono::steady_clock;
  return
      [estimate = Estimate(), last = Clock::time_point()](std::string_view task, int64_t done, int64_t total) mutable {
        if (done >= total) {
          fmt::print(stderr, "\r\x1b[K");
          return;
        }
        if (Clock::now() - last < std::chrono::milliseconds(100)) return;
        last = Clock::now();
        estimate.see(done, total, steady_seconds());
        const auto filled = static_cast<size_t>(static_cast<double>(done) / static_cast<double>(total) * kBarWidth);
        fmt::print(stderr, "\r{} [{:=<{}}{: <{}}] {} of {}{}\x1b[K", task, "", filled, "", kBarWidth - filled, done,
                   total, estimate.left(steady_seconds()));
        std::fflush(stderr);
      };
}

void print_columns(const Lines& lines, size_t indent) { fmt::print("{}", columns_text(lines, indent)); }

void print_json(const Json& json) { fmt::print("{}\n", visible_json(json.dump())); }

std::string with_thousands(int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (auto i = static_cast<int64_t>(digits.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3) digits.insert(i, ",");
  return digits;
}

std::string human_bytes(size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1000000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  if (bytes < 1000000000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{:.2f} GB", static_cast<double>(bytes) / 1e9);
}

std::string human_count(int64_t number) {
  if (number < 1000000) return with_thousands(number);
  if (number < 1000000000) return fmt::format("{:.2f} million", static_cast<double>(number) / 1e6);
  return fmt::format("{:.2f} billion", static_cast<double>(number) / 1e9);
}

}  // namespace ascribe::core::cli
