#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <omp.h>

#include "base/crew.h"
#include "base/watch.h"

namespace ascribe::core {

namespace {

const int kUsual = omp_get_max_threads();  // before anybody has set it

std::atomic<int> started = 1;  // threads that were there at the same time

// OpenMP ends the whole process when the system refuses a thread (a limit of processes, of a container's threads, of
// memory), so as many are started by hand first.
int startable(int wanted) {
  if (wanted <= started) return wanted;
  std::mutex gate;
  std::vector<std::jthread> tried;
  tried.reserve(static_cast<size_t>(wanted));
  const std::lock_guard closed(gate);  // opened before they are waited for
  try {
    while (std::ssize(tried) + 1 < wanted) tried.emplace_back([&gate] { const std::lock_guard passed(gate); });
  } catch (const std::system_error&) {
    return static_cast<int>(std::ssize(tried)) + 1;
  }
  started = wanted;
  return wanted;
}

struct Loop {
  int64_t count, grain, chunks;
  const std::function<void(int64_t, int64_t)>& body;
  std::atomic<int64_t> next = 0;
  std::exception_ptr failure = nullptr;
  std::mutex guard = {};
};

// What a thread does of a loop: the next chunk, as long as there is one.
void run_chunks(void* data) {
  Loop& loop = *static_cast<Loop*>(data);
  for (int64_t c = loop.next++; c < loop.chunks; c = loop.next++) {
    try {
      loop.body(c * loop.grain, std::min(loop.count, (c + 1) * loop.grain));
    } catch (...) {
      const std::lock_guard lock(loop.guard);
      if (!loop.failure) loop.failure = std::current_exception();
    }
  }
}

}  // namespace

int thread_count() { return omp_get_max_threads(); }

void set_thread_count(int count) { omp_set_num_threads(startable(count > 0 ? count : kUsual)); }

ThreadCount::ThreadCount(int count) : before_(count > 0 ? thread_count() : 0) {
  if (count > 0) omp_set_num_threads(startable(count));
}

ThreadCount::~ThreadCount() {
  if (before_ > 0) omp_set_num_threads(before_);
}

void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  poll();
  grain = std::max<int64_t>(grain, 1);
  const int64_t chunks = (count + grain - 1) / grain;
  if (chunks > 1 && thread_count() > started) omp_set_num_threads(startable(thread_count()));
  if (chunks == 1 || thread_count() == 1 || in_part() || omp_in_parallel()) {
    for (int64_t c = 0; c < chunks; ++c) body(c * grain, std::min(count, (c + 1) * grain));
    return;
  }
  Loop loop{count, grain, chunks, body};
  run_parts(static_cast<int>(std::min<int64_t>(thread_count(), chunks)), run_chunks, &loop);
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace ascribe::core
