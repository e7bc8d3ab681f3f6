#include "cli/signals.h"

#include "base/watch.h"

namespace ascribe::core::cli {

namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) { pending_signal = signal; }

}  // namespace

DeferSignals::DeferSignals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kSignals[i], &before_[i], nullptr);  // nohup
  }
}

DeferSignals::~DeferSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  if (pending_signal != 0) ::raise(pending_signal);
}

Progress DeferSignals::stopping(Progress progress) {
  return [told = std::move(progress)](std::string_view task, int64_t done, int64_t total) {
    if (pending_signal != 0) cancel();
    report(told, task, done, total);
  };
}

}  // namespace ascribe::core::cli
