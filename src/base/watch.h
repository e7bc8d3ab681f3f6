// A watch over long-running work: one callback that is told how far the work is and can stop it.
#pragma once

#include <chrono>
#include <string>

#include "base/progress.h"

namespace ascribe::core {

// Stops the work that is being done: a progress callback throws it, and it reaches whoever began the work.
[[noreturn]] void cancel();

// While one lives, work on this thread asks `progress` at least at every step of a network and at every parallel loop,
// at most twenty times a second, also where nobody handed the callback on. Watches may be nested; the innermost counts.
class Watch {
 public:
  explicit Watch(Progress progress);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  const Progress& progress() const { return told_; }  // for the work; empty if there is nobody to tell

 private:
  friend void poll();

  using Clock = std::chrono::steady_clock;
  Progress progress_, told_;
  std::string task_;
  int64_t done_ = 0, total_ = 1;
  Clock::time_point last_ = Clock::now();
  Watch* outer_ = nullptr;
};

// Asks the watch of this thread again, with what it was told last; nothing if there is none.
void poll();

}  // namespace ascribe::core
