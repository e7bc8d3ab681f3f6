#include "api/turn.h"

#include <chrono>

#include <unistd.h>

#include "base/error.h"

namespace ascribe {

namespace {

constexpr std::chrono::milliseconds kBetween{50};

}  // namespace

void Turn::take(const core::Progress& told) {
  while (!mutex_.try_lock_for(kBetween)) {
    const pid_t process = process_;
    if (process != 0 && process != ::getpid()) {
      core::fail(
          core::ErrorKind::unsupported, "model",
          "it was at work when this process was made by fork, and nobody can end that work here; expected a model "
          "that is loaded in this process, or a fork between two calls");
    }
    if (told) told("waiting for another thread", 0, 1);
  }
  ++depth_;
  process_ = ::getpid();
}

void Turn::give_back() {
  if (--depth_ == 0) process_ = 0;
  mutex_.unlock();
}

}  // namespace ascribe
