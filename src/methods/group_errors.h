// The standard error of a mean of draws that are known by the means of independent groups only. With G groups it has
// G - 1 degrees of freedom (base/student.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

// `groups`: the mean of each group, of several numbers; `sizes`: how many draws it is of. A mean of n draws has n-th of
// a draw's variance, so (sum of n (mean - all)^2) / (G - 1) is that of one draw. None for a single group.
inline std::vector<double> standard_errors_of_groups(std::span<const std::vector<double>> groups,
                                                     std::span<const int64_t> sizes) {
  if (groups.size() < 2) return {};
  std::vector<double> errors;
  double draws = 0;
  for (const int64_t size : sizes) draws += static_cast<double>(size);
  for (size_t i = 0; i < groups[0].size(); ++i) {
    double mean = 0, squares = 0;
    for (size_t g = 0; g < groups.size(); ++g) mean += groups[g][i] * static_cast<double>(sizes[g]) / draws;
    for (size_t g = 0; g < groups.size(); ++g) {
      squares += static_cast<double>(sizes[g]) * (groups[g][i] - mean) * (groups[g][i] - mean);
    }
    errors.push_back(std::sqrt(squares / static_cast<double>(groups.size() - 1) / draws));
  }
  return errors;
}

}  // namespace ascribe::core
