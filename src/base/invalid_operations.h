// Whether NaN came up in some work: processors keep a flag for operations without a number as their result (inf - inf,
// 0 / 0, the square root of -1), and x86 raises it where a NaN takes part in a comparison, a maximum or a minimum, too.
// Looking at the flags costs nothing while the work is done. Not finding one proves that no NaN was made of numbers.
#pragma once

#include <cfenv>

namespace ascribe::core {

// From here on, on this thread and those that loops of this thread use (base/crew.h); `openmp`: some of them run on
// OpenMP's own threads. The caller's own flag is put back at the end.
class InvalidOperations {
 public:
  explicit InvalidOperations(bool openmp = false);
  ~InvalidOperations();
  InvalidOperations(const InvalidOperations&) = delete;
  InvalidOperations& operator=(const InvalidOperations&) = delete;

  bool seen() const;

 private:
  bool openmp_;
  std::fexcept_t before_{};
};

}  // namespace ascribe::core
