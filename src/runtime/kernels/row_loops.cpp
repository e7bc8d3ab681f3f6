#include "runtime/kernels/row_loops.h"

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

#define ASCRIBE_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")))
namespace row_loops_avx512 {
#include "runtime/kernels/row_loops.inc"
}
#undef ASCRIBE_TARGET
#endif

namespace {

const RowLoops& best_row_loops() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx512) return row_loops_avx512::kLoops;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return row_loops_avx2::kLoops;
#endif
  return row_loops_plain::kLoops;
}

}  // namespace

const RowLoops& row_loops() {
  static const RowLoops& loops = best_row_loops();
  return loops;
}

}  // namespace ascribe::core
