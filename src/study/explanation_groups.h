// Groups of explanations that are alike: k-medoids on the distance of study/disagreement.h, so that every group has one
// of its own rows as its centre. As many groups as make the mean silhouette (Rousseeuw 1987) largest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core::study {

inline constexpr int64_t kMostGroups = 6;
inline constexpr double kClearGroups = 0.25;    // a silhouette below it is no structure to speak of
inline constexpr double kSmallestGroup = 0.02;  // of all rows, and two rows: a single odd row is no group

struct Groups {
  std::vector<size_t> centres;   // numbers of explanations, the largest group first
  std::vector<size_t> group_of;  // of every explanation
  double silhouette = 0;         // from -1 to 1; 0 if there is one group
};

// `units`: as unit_strength makes them, none empty. One group if there are fewer than four explanations, or if all are
// the same.
Groups group_explanations(std::span<const std::vector<double>> units, int64_t most = kMostGroups);

// The centre that is nearest.
size_t nearest_centre(std::span<const double> unit, std::span<const std::vector<double>> units,
                      std::span<const size_t> centres);

}  // namespace ascribe::core::study
