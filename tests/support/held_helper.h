// A thread of a test's loops that gets no processor, as happens beside other programs: it stands in a signal's handler
// until it is let go.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

#include <pthread.h>

#include "base/crew.h"

namespace ascribe::core {

class HeldHelper {
 public:
  // The second thread of loops that this thread begins.
  HeldHelper() {
    pthread_t helper{};
    run_parts(
        2,
        [](void* found) {
          if (part_number() == 1) *static_cast<pthread_t*>(found) = pthread_self();
          meet_parts();  // so that nobody else runs the part
        },
        &helper);
    before_ = std::signal(SIGUSR1, [](int) {
      held() = true;
      while (held()) {
      }
    });
    pthread_kill(helper, SIGUSR1);
    while (!held()) std::this_thread::yield();
  }
  ~HeldHelper() {
    held() = false;
    std::signal(SIGUSR1, before_);
  }
  HeldHelper(const HeldHelper&) = delete;
  HeldHelper& operator=(const HeldHelper&) = delete;

 private:
  static std::atomic<bool>& held() {
    static std::atomic<bool> value = false;
    return value;
  }
  void (*before_)(int) = nullptr;
};

}  // namespace ascribe::core
