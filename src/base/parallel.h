// Deterministic parallel loops on OpenMP, the pool that oneDNN uses too.
// Work is cut into chunks of `grain`, never by the number of threads, so a
// body that reduces per chunk gives the same bits for any thread count.
#pragma once

#include <cstdint>
#include <functional>

namespace ascribe {

int thread_count();
void set_thread_count(int count);  // 0: as many as the machine has

// Calls body(begin, end) for disjoint chunks that cover [0, count). An exception
// thrown by a body reaches the caller. Small loops run on the calling thread.
void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

}  // namespace ascribe
