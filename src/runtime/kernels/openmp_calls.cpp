// oneDNN runs its loops on OpenMP, of which it calls five functions. These stand before them and give loops of oneDNN
// to our own threads (base/crew.h); everybody else's go on to OpenMP itself.
#include <cstdint>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include "base/crew.h"
#include "runtime/kernels/openmp_calls.h"

#include <oneapi/dnnl/dnnl.hpp>

// Not by omp.h: libraries of OpenMP do not agree on whether the functions below are noexcept.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace ascribe::core {

namespace {

thread_local int64_t loops_of_onednn = 0;  // that came by here

using Range = std::pair<uintptr_t, uintptr_t>;

// Where oneDNN's code lies; empty if that is not to be found out.
Range code_of_onednn() {
  Range found;
  const void* const function = dlsym(RTLD_DEFAULT, "dnnl_primitive_execute");
  if (function == nullptr) return found;
  found.first = reinterpret_cast<uintptr_t>(function);
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* wanted) {
        Range& range = *static_cast<Range*>(wanted);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          const uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
          if (part.p_type != PT_LOAD || range.first < begin || range.first >= end) continue;
          range = {begin, end};
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

template <class Function>
Function* behind_us(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

bool onednn_runs_on_our_threads() {
  static const bool ours = [] {
    const int before = omp_get_max_threads();
    omp_set_num_threads(2);
    const int64_t loops = loops_of_onednn;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc shape({1 << 16}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
    const dnnl::eltwise_forward::desc relu(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, shape, 0);
    dnnl::memory values(shape, engine);
    dnnl::stream stream(engine);
    dnnl::eltwise_forward({relu, engine}).execute(stream, {{DNNL_ARG_SRC, values}, {DNNL_ARG_DST, values}});
    stream.wait();
    omp_set_num_threads(before);
    return loops_of_onednn > loops;
  }();
  return ours;
}

}  // namespace ascribe::core

using ascribe::core::behind_us;
using ascribe::core::in_part;

extern "C" {

__attribute__((visibility("default"))) void GOMP_parallel(void (*loop)(void*), void* data, unsigned threads,
                                                          unsigned flags) {
  static const auto onednn = ascribe::core::code_of_onednn();
  const auto address = reinterpret_cast<uintptr_t>(loop);
  if (address < onednn.first || address >= onednn.second) {
    static auto* const openmp = behind_us<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
    openmp(loop, data, threads, flags);
    return;
  }
  ++ascribe::core::loops_of_onednn;
  ascribe::core::run_parts(threads > 0 ? static_cast<int>(threads) : omp_get_max_threads(), loop, data);
}

__attribute__((visibility("default"))) void GOMP_barrier() {
  static auto* const openmp = behind_us<void()>("GOMP_barrier");
  in_part() ? ascribe::core::meet_parts() : openmp();
}

__attribute__((visibility("default"))) int omp_get_thread_num() {
  static auto* const openmp = behind_us<int()>("omp_get_thread_num");
  return in_part() ? ascribe::core::part_number() : openmp();
}

__attribute__((visibility("default"))) int omp_get_num_threads() {
  static auto* const openmp = behind_us<int()>("omp_get_num_threads");
  return in_part() ? ascribe::core::part_count() : openmp();
}

__attribute__((visibility("default"))) int omp_in_parallel() {
  static auto* const openmp = behind_us<int()>("omp_in_parallel");
  return in_part() ? 1 : openmp();
}
}
