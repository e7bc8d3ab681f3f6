#include "base/invalid_operations.h"

#include <omp.h>

#include "base/parallel.h"

namespace ascribe::core {

InvalidOperations::InvalidOperations(bool openmp) : openmp_(openmp && thread_count() > 1 && !omp_in_parallel()) {
  std::fegetexceptflag(&before_, FE_INVALID);
  std::feclearexcept(FE_INVALID);
  if (!openmp_) return;
#pragma omp parallel
  std::feclearexcept(FE_INVALID);
}

InvalidOperations::~InvalidOperations() { std::fesetexceptflag(&before_, FE_INVALID); }

bool InvalidOperations::seen() const {
  if (!openmp_) return std::fetestexcept(FE_INVALID) != 0;
  int any = 0;
#pragma omp parallel reduction(| : any)
  any |= std::fetestexcept(FE_INVALID);
  return any != 0;
}

}  // namespace ascribe::core
