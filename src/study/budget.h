// How long a verb may take, how fast its model is, and what became of the time. Decisions are made before a part
// begins, from what a row of the model takes (measured once) and from how many rows the part asks about; a part that
// goes beyond what it may take all the same is stopped at the next step of the network, and is left out as a whole:
// what is shown never depends on where a clock stopped it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/watch.h"
#include "methods/explained_model.h"

namespace ascribe::core::study {

// Nothing: as long as it takes.
struct Budget {
  std::optional<double> seconds;

  // "60", "90s", "1.5m", "2h", "none"; refuses, kind argument, what is not more than 0.
  static Budget parse(std::string_view text);
  bool limited() const { return seconds.has_value(); }
};

inline constexpr const char* kUsualBudget = "60s";

// "40 s", "1 m 30 s", "0.4 s"
std::string seconds_text(double seconds);

// Of a part that was stopped: "it was stopped after 12 s"; of one that could not begin, so.
std::string stopped_text(double most);

// Seconds that a row takes, among others.
struct Pace {
  double forward = 0, gradient = 0;
};

// What the clock said wherever it decided something, in order: the same work with the same diary decides the same, on a
// machine of any speed. One keeps it or is read from it.
class TimeDiary {
 public:
  TimeDiary() = default;  // to be written
  explicit TimeDiary(std::vector<double> readings) : readings_(std::move(readings)), read_(true) {}

  bool is_read() const { return read_; }
  double told(double measured);  // what counts: that, which is written down, or what was written
  // Of work that may be stopped: where its outcome stands, and the outcome. What was read within stopped work is
  // forgotten.
  size_t begin();
  void end(size_t place, bool stopped);
  bool was_stopped(size_t place) const { return readings_[place] != 0; }

  const std::vector<double>& readings() const { return readings_; }
  // Whether everything that was written has been read, and no more was asked for: the same decisions.
  bool followed() const { return !beyond_ && (!read_ || next_ == readings_.size()); }

 private:
  std::vector<double> readings_;
  bool read_ = false, beyond_ = false;
  size_t next_ = 0;
};

// For those who tell the time themselves; usual is to look at a clock and to measure.
struct TimeKeeping {
  std::function<double()> now = {};  // seconds since whenever
  std::function<Pace(const ExplainedModel& model)> pace = {};
  std::shared_ptr<TimeDiary> diary = nullptr;  // nothing: nobody wants to know
};

// Of rows like the question's. Gradients that there are not count as 0.
Pace measured_pace(ExplainedModel& model, const Question& question, const std::function<double()>& now);

// Something that was left out or made smaller, and what gives it all the same.
struct Shortened {
  std::string part, what, instead;
};

struct Spent {
  std::string part;
  std::optional<double> planned = {};  // seconds; nothing: not foreseen
  double seconds = 0;
  std::string decision = {};  // in words; empty: nothing was decided
  bool stopped = false;
};

class Spending {
 public:
  Spending(const Budget& budget, const TimeKeeping& time);

  bool limited() const { return budget_.limited(); }
  double budget() const { return *budget_.seconds; }
  double spent() const { return told(now_() - start_); }
  // Something that was measured elsewhere and decides.
  double told(double measured) const { return diary_ ? diary_->told(measured) : measured; }
  Pace told(const std::function<Pace()>& measure) const;
  double left() const;  // of what may be planned with; infinite if there is no limit
  // What takes next to nothing has its time whatever has happened before: a machine that stood still for a minute is no
  // reason to leave out a millisecond.
  double at_least(double seconds) const;
  const std::function<double()>& clock() const { return now_; }

  // Does some work, for `most` seconds at most; false: it had to be stopped. Both are written down.
  bool within(double most, Spent spent, const Progress& progress, const std::function<void(const Progress&)>& work);

  void cut(Shortened part) { cuts_.push_back(std::move(part)); }
  const std::vector<Spent>& parts() const { return parts_; }
  const std::vector<Shortened>& cuts() const { return cuts_; }

 private:
  Budget budget_;
  std::function<double()> now_;
  std::shared_ptr<TimeDiary> diary_;
  double start_;
  std::vector<Spent> parts_;
  std::vector<Shortened> cuts_;
};

}  // namespace ascribe::core::study
