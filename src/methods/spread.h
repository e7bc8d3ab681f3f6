// Means of sampled attributions and their spread, by Welford's updates, one draw after the other.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/student.h"
#include "game/players.h"

namespace ascribe::core {

// What each player's elements sum to.
inline std::vector<double> sums_of_players(const Players& players, std::span<const double> elements) {
  std::vector<double> sums(static_cast<size_t>(players.count()), 0.0);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (players.owner[i] >= 0) sums[static_cast<size_t>(players.owner[i])] += elements[i];
  }
  return sums;
}

// Half the widths of 95 % intervals around means whose standard errors were estimated from few draws: Student's t. The
// degrees of freedom are the number of independent draws (pairs count once) less the parameters fitted to them.
inline std::vector<double> half_widths(std::span<const double> standard_errors, double degrees_of_freedom) {
  const double t = student_quantile(0.95, degrees_of_freedom);
  std::vector<double> widths;
  for (const double error : standard_errors) widths.push_back(error == 0 ? 0 : t * error);
  return widths;
}

class Spread {
 public:
  void add(std::span<const double> values) {
    mean_.resize(values.size(), 0.0);
    squares_.resize(values.size(), 0.0);
    ++count_;
    for (size_t i = 0; i < values.size(); ++i) {
      const double before = values[i] - mean_[i];
      mean_[i] += before / static_cast<double>(count_);
      squares_[i] += before * (values[i] - mean_[i]);
    }
  }

  double degrees_of_freedom() const { return static_cast<double>(count_) - 1; }

  // Of the means; none after a single draw. `unseen`: the share of a finite population that was not drawn.
  std::vector<double> standard_errors(double unseen = 1) const {
    std::vector<double> errors;
    const auto n = static_cast<double>(count_);
    for (size_t i = 0; count_ > 1 && i < squares_.size(); ++i) {
      errors.push_back(std::sqrt(unseen * squares_[i] / (n * (n - 1))));
    }
    return errors;
  }

 private:
  std::vector<double> mean_, squares_;
  int64_t count_ = 0;
};

}  // namespace ascribe::core
