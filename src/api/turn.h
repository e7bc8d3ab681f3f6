// Whose turn it is to use a model.
#pragma once

#include <atomic>
#include <mutex>

#include <sys/types.h>

#include "base/progress.h"

namespace ascribe {

// Calls from several threads take turns. A function of the caller's, which is called in one, may ask the model again on
// the same thread.
class Turn {
 public:
  // Waits for it. Meanwhile `told` is asked, which may stop the waiting by throwing. Refuses to wait for a thread that
  // was lost when the process was made by fork.
  void take(const core::Progress& told);
  void give_back();

 private:
  std::recursive_timed_mutex mutex_;
  std::atomic<pid_t> process_ = 0;  // that has taken it; 0: none
  int depth_ = 0;
};

// Has the turn while it lives.
class HasTurn {
 public:
  HasTurn(Turn& turn, const core::Progress& told) : turn_(turn) { turn_.take(told); }
  ~HasTurn() { turn_.give_back(); }
  HasTurn(const HasTurn&) = delete;
  HasTurn& operator=(const HasTurn&) = delete;

 private:
  Turn& turn_;
};

}  // namespace ascribe
