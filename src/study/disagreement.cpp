#include "study/disagreement.h"

#include <cmath>

namespace ascribe::core::study {

std::vector<double> unit_strength(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return {};
    largest = std::max(largest, std::abs(value));
  }
  if (!(largest > 0)) return {};
  std::vector<double> unit;
  double all = 0;
  for (const double value : values) unit.push_back(value / largest), all += std::abs(unit.back());
  for (double& value : unit) value /= all;
  return unit;
}

std::optional<double> placed_differently(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> p = unit_strength(a), q = unit_strength(b);
  if (p.empty() && q.empty()) return std::nullopt;
  if (p.empty() || q.empty()) return 1.0;
  double distance = 0;
  for (size_t i = 0; i < p.size(); ++i) distance += std::abs(p[i] - q[i]);
  return distance / 2;
}

std::optional<Apart> furthest_apart(std::span<const std::vector<double>> lists) {
  std::optional<Apart> furthest;
  for (size_t i = 0; i < lists.size(); ++i) {
    for (size_t j = i + 1; j < lists.size(); ++j) {
      const auto share = placed_differently(lists[i], lists[j]);
      if (share && (!furthest || *share > furthest->share)) furthest = Apart{i, j, *share};
    }
  }
  return furthest;
}

}  // namespace ascribe::core::study
