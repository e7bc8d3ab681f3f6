// Signals that would end the program, held back.
#pragma once

#include <array>
#include <csignal>

#include "base/watch.h"

namespace ascribe::core::cli {

// While it lives, they wait; then they end the program.
class DeferSignals {
 public:
  DeferSignals();
  ~DeferSignals();
  DeferSignals(const DeferSignals&) = delete;
  DeferSignals& operator=(const DeferSignals&) = delete;

  // Stops the work (base/watch.h) when one waits; between two files, never within one. `progress` may be empty.
  static Progress stopping(Progress progress);

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Work that leaves nothing behind when a signal stops it: it is stopped first, and then the program ends.
template <class Work>
auto stopped_by_signals(Work&& work) {
  const DeferSignals deferred;
  const Watch watch(DeferSignals::stopping({}));
  return work();
}

}  // namespace ascribe::core::cli
