// For ThreadSanitizer alone: clang 14's does not know pthread_mutex_clocklock, by which std::timed_mutex waits, and
// takes what such a mutex guards for races. Here it waits by pthread_mutex_timedlock, which is known.
#include <cstdint>
#include <ctime>

#include <pthread.h>

namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t nanoseconds(const timespec& moment) { return moment.tv_sec * kSecond + moment.tv_nsec; }

int64_t now(clockid_t clock) {
  timespec moment{};
  clock_gettime(clock, &moment);
  return nanoseconds(moment);
}

}  // namespace

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  const int64_t end = now(CLOCK_REALTIME) + nanoseconds(*until) - now(clock);
  const timespec moment{static_cast<time_t>(end / kSecond), static_cast<long>(end % kSecond)};
  return pthread_mutex_timedlock(mutex, &moment);
}
