// Deterministic parallel loops, on the threads that oneDNN's run on too (base/crew.h).
// Work is cut into chunks of `grain`, never by the number of threads, so a
// body that reduces per chunk gives the same bits for any thread count.
#pragma once

#include <cstdint>
#include <functional>

namespace ascribe::core {

// Of loops that this thread begins: what OMP_NUM_THREADS says, or as many as the machine has, unless set.
int thread_count();
void set_thread_count(int count);  // 0: as at the beginning

// While it lives, loops that this thread begins use so many threads; 0: as before. One, where waking others costs more
// than small work takes.
class ThreadCount {
 public:
  explicit ThreadCount(int count);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

// Calls body(begin, end) for disjoint chunks that cover [0, count). An exception
// thrown by a body reaches the caller. Small loops run on the calling thread.
void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

}  // namespace ascribe::core
