#include "study/budget.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

constexpr double kLongest = 1e9;          // seconds: thirty years
constexpr double kForFiles = 0.06;        // of the budget: what is not planned with, for reading and writing
constexpr double kNextToNothing = 0.005;  // of the budget
constexpr double kLongEnough = 0.05;      // seconds that a measurement should take
constexpr int64_t kMostRows = 16;         // that are measured at once

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Thrown as any other stop; who stopped it is noted.
class Deadline {
 public:
  Deadline(double at, const std::function<double()>& now, const Progress& told)
      : watch_([this, at, &now, told](std::string_view task, int64_t done, int64_t total) {
          core::report(told, task, done, total);
          if (now() < at) return;
          passed_ = true;
          cancel();
        }) {}

  const Progress& progress() const { return watch_.progress(); }
  bool passed() const { return passed_; }

 private:
  bool passed_ = false;
  Watch watch_;
};

// Seconds for each of some rows; few where a single one takes long.
template <class Run>
double seconds_per_row(const std::function<double()>& now, const Run& run) {
  run(1);  // what is done once is done now
  int64_t rows = 1;
  double taken = 0;
  while (true) {
    const double start = now();
    run(rows);
    taken = (now() - start) / static_cast<double>(rows);
    if (taken * static_cast<double>(rows) >= kLongEnough || rows >= kMostRows) return taken;
    rows = std::min(kMostRows, rows * 4);
    run(rows);
  }
}

}  // namespace

Budget Budget::parse(std::string_view text) {
  if (text == "none") return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || factor == 0 || !(seconds > 0 && seconds <= kLongest)) {
    fail(ErrorKind::argument, "budget", "got '{}'; expected a time such as 60s, 5m or 1h, or none", text);
  }
  return {seconds};
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1g} ms", 1e3 * seconds);
  if (seconds < 0.1) return fmt::format("{:.0f} ms", 1e3 * seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 119.5) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 7200)
    return whole % 60 == 0 ? fmt::format("{} min", whole / 60) : fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string stopped_text(double most) {
  return most > 0 ? fmt::format("it was stopped after {}", seconds_text(most)) : "no time was left for it";
}

Pace measured_pace(ExplainedModel& model, const Question& question, const std::function<double()>& now) {
  const auto rows_of = [&](int64_t count) {
    std::vector<Tensor> rows;
    for (const Tensor& one : question.point) rows.push_back(repeated_row(one, count));
    return rows;
  };
  const std::array targets = {question.target};
  Pace pace;
  pace.forward = seconds_per_row(now, [&](int64_t rows) { model.values(rows_of(rows), targets); });
  try {
    pace.gradient = seconds_per_row(now, [&](int64_t rows) { model.gradients(rows_of(rows), targets); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
  }
  return pace;
}

double TimeDiary::told(double measured) {
  if (!read_) return readings_.emplace_back(measured);
  if (next_ < readings_.size()) return readings_[next_++];
  beyond_ = true;
  return measured;
}

size_t TimeDiary::begin() {
  const size_t place = read_ ? next_ : readings_.size();
  told(0);
  if (place == readings_.size()) readings_.push_back(0), next_ = readings_.size();  // beyond what was written
  return place;
}

void TimeDiary::end(size_t place, bool stopped) {
  if (read_) return;
  readings_[place] = stopped ? 1 : 0;
  if (stopped) readings_.resize(place + 1);
}

Spending::Spending(const Budget& budget, const TimeKeeping& time)
    : budget_(budget), now_(time.now ? time.now : steady_seconds), diary_(time.diary), start_(now_()) {}

Pace Spending::told(const std::function<Pace()>& measure) const {
  if (!diary_) return measure();
  const Pace pace = diary_->is_read() ? Pace{} : measure();
  const double forward = diary_->told(pace.forward);
  return {forward, diary_->told(pace.gradient)};
}

double Spending::left() const {
  if (!limited()) return std::numeric_limits<double>::infinity();
  return std::max(0.0, budget() * (1 - kForFiles) - spent());
}

double Spending::at_least(double seconds) const {
  return limited() ? std::max(seconds, kNextToNothing * budget()) : seconds;
}

bool Spending::within(double most, Spent spent, const Progress& progress,
                      const std::function<void(const Progress&)>& work) {
  const double start = now_();
  const auto note = [&](bool stopped) {
    spent.seconds = now_() - start;
    spent.stopped = stopped;
    parts_.push_back(std::move(spent));
    return !stopped;
  };
  if (!limited()) {
    work(progress);
    return note(false);
  }
  if (most <= 0) return note(true);
  const size_t place = diary_ ? diary_->begin() : 0;
  if (diary_ && diary_->is_read()) {
    if (diary_->was_stopped(place)) return note(true);
    work(progress);
    return note(false);
  }
  const auto end = [&](bool stopped) {
    if (diary_) diary_->end(place, stopped);
    return note(stopped);
  };
  Deadline deadline(start + most, now_, progress);
  try {
    work(deadline.progress());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled || !deadline.passed()) throw;
    return end(true);
  }
  return end(false);
}

}  // namespace ascribe::core::study
