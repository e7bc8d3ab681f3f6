#include "metrics/kept_scores.h"

#include <algorithm>
#include <limits>

namespace ascribe::core {

KeptScores::KeptScores(size_t methods, size_t metrics)
    : metrics_(metrics), values_(methods * metrics, std::numeric_limits<double>::quiet_NaN()) {}

Score KeptScores::at(size_t method, size_t metric) const {
  const size_t place = method * metrics_ + metric;
  for (const auto& [own, score] : whole_) {
    if (own == place) return score;
  }
  return {.value = values_[place]};
}

void KeptScores::set(size_t method, size_t metric, Score score) {
  const size_t place = method * metrics_ + metric;
  values_[place] = score.value;
  std::erase_if(whole_, [&](const auto& one) { return one.first == place; });
  if (!score.defined() || !score.curve.empty()) whole_.emplace_back(place, std::move(score));
}

}  // namespace ascribe::core
