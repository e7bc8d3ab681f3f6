// Methods that take something away: a player receives, in full, every effect that vanishes with it
// (theorems 3, 4 and 5). A player in several windows receives their mean, a player in none receives nothing.
#include <algorithm>

#include "theory/allocation.h"

namespace ascribe::core::allocation_involvement {

namespace {

double if_involved(const AllocationContext&, int player, std::span<const int> degree) {
  return degree[static_cast<size_t>(player)] > 0 ? 1 : 0;
}

double if_a_window_is_involved(const AllocationContext& context, int player, std::span<const int> degree) {
  int windows = 0, involved = 0;
  for (const std::vector<int>& window : context.windows) {
    if (std::find(window.begin(), window.end(), player) == window.end()) continue;
    ++windows;
    if (std::any_of(window.begin(), window.end(), [&](int p) { return degree[static_cast<size_t>(p)] > 0; }))
      ++involved;
  }
  return windows == 0 ? 0 : static_cast<double>(involved) / windows;
}

const RegisterAllocation kOcclusion({.method = "occlusion",
                                     .theorem = 3,
                                     .formula = "1 if i is in S, else 0",
                                     .depends_on_support_only = true,
                                     .weight = if_involved});
const RegisterAllocation kOcclusionPatch({.method = "occlusion_patch",
                                          .theorem = 4,
                                          .formula = "1 if S meets the window of i, else 0; the mean of its windows",
                                          .depends_on_support_only = true,
                                          .weight = if_a_window_is_involved});
const RegisterAllocation kPredictionDifference({.method = "prediction_difference",
                                                .theorem = 5,
                                                .formula = "1 if i is in S, else 0; the mean over b",
                                                .depends_on_support_only = true,
                                                .weight = if_involved});

}  // namespace

}  // namespace ascribe::core::allocation_involvement
