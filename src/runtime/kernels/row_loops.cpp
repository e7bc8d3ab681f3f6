#include "runtime/kernels/row_loops.h"

#include "base/vector_width.h"

namespace ascribe::core {

#define ASCRIBE_TARGET
namespace row_loops_plain {
#include "runtime/kernels/row_loops.inc"
}
#undef ASCRIBE_TARGET

#if defined(__x86_64__)
#define ASCRIBE_TARGET __attribute__((target("avx2,fma")))
namespace row_loops_avx2 {
#include "runtime/kernels/row_loops.inc"
}
#undef ASCRIBE_TARGET

#define ASCRIBE_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma" ASCRIBE_WIDE_VECTORS)))
namespace row_loops_avx512 {
#include "runtime/kernels/row_loops.inc"
}
#undef ASCRIBE_TARGET
#endif

std::vector<const RowLoops*> all_row_loops() {
  std::vector<const RowLoops*> all;
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx512) all.push_back(&row_loops_avx512::kLoops);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&row_loops_avx2::kLoops);
#endif
  all.push_back(&row_loops_plain::kLoops);
  return all;
}

const RowLoops& row_loops() {
  static const RowLoops& loops = *all_row_loops().front();
  return loops;
}

}  // namespace ascribe::core
