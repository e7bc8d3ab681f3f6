// Signals that would end the program, held back.
#pragma once

#include <array>
#include <csignal>

#include "base/progress.h"

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

}  // namespace ascribe::core::cli
