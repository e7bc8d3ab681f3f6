// The scores of one sample, of which there may be millions: nearly all are a value and nothing else.
#pragma once

#include <utility>
#include <vector>

#include "metrics/metric.h"

namespace ascribe::core {

class KeptScores {
 public:
  KeptScores() = default;
  KeptScores(size_t methods, size_t metrics);

  double value(size_t method, size_t metric) const { return values_[method * metrics_ + metric]; }
  Score at(size_t method, size_t metric) const;
  void set(size_t method, size_t metric, Score score);

 private:
  size_t metrics_ = 0;
  std::vector<double> values_;
  std::vector<std::pair<size_t, Score>> whole_;  // by place: those that have more than a value
};

}  // namespace ascribe::core
