#include "base/watch.h"

#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr std::chrono::milliseconds kBetween{50};

thread_local Watch* innermost = nullptr;

}  // namespace

void cancel() { fail(ErrorKind::cancelled, "", "the work was stopped"); }

Watch::Watch(Progress progress) : progress_(std::move(progress)), outer_(innermost) {
  innermost = this;
  if (!progress_) return;
  told_ = [this](std::string_view task, int64_t done, int64_t total) {
    task_ = task;
    done_ = done;
    total_ = total;
    last_ = Clock::now();
    progress_(task, done, total);
  };
}

Watch::~Watch() { innermost = outer_; }

void poll() {
  if (innermost == nullptr || !innermost->progress_) return;
  Watch& watch = *innermost;
  // What was told last may have been the end of a part; a bar would be drawn away again and again.
  if (watch.done_ >= watch.total_) watch.done_ = watch.total_ - 1;
  if (Watch::Clock::now() - watch.last_ < kBetween) return;
  watch.last_ = Watch::Clock::now();
  watch.progress_(watch.task_, watch.done_, watch.total_);
}

}  // namespace ascribe::core
