#include "base/exact_sum.h"

#include <cmath>
#include <utility>

namespace ascribe::core {

// The term meets the parts one after the other, the smallest first. Of each meeting the rounding error stays as a
// part, and the rounded sum goes on.
void ExactSum::add(double term) {
  size_t kept = 0;
  for (double part : parts_) {
    if (std::abs(term) < std::abs(part)) std::swap(term, part);
    const double sum = term + part;
    const double error = part - (sum - term);
    if (error != 0) parts_[kept++] = error;
    term = sum;
  }
  parts_.resize(kept);
  if (term != 0) parts_.push_back(term);
}

double ExactSum::value() const {
  if (parts_.empty()) return 0;
  size_t below = parts_.size() - 1;
  double sum = parts_[below], error = 0;
  while (below > 0 && error == 0) {
    const double before = sum, part = parts_[--below];
    sum = before + part;
    error = part - (sum - before);
  }
  // What is left is at most half of the last bit. If it is exactly half, what lies below decides.
  if (below > 0 && error != 0 && (error < 0) == (parts_[below - 1] < 0)) {
    const double twice = 2 * error, other = sum + twice;
    if (other - sum == twice) return other;
  }
  return sum;
}

}  // namespace ascribe::core
