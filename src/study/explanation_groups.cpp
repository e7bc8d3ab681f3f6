#include "study/explanation_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/watch.h"

namespace ascribe::core::study {

namespace {

constexpr int kMostRounds = 60;
constexpr double kSame = 1e-9;  // distances below it are rounding

double distance_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 2;
}

class Distances {
 public:
  explicit Distances(std::span<const std::vector<double>> units) : count_(units.size()), values_(count_ * count_, 0.0) {
    for (size_t i = 0; i < count_; ++i) {
      for (size_t j = 0; j < i; ++j) {
        const double d = distance_of(units[i], units[j]);
        values_[i * count_ + j] = values_[j * count_ + i] = d < kSame ? 0 : d;
      }
    }
  }
  size_t count() const { return count_; }
  double operator()(size_t i, size_t j) const { return values_[i * count_ + j]; }

 private:
  size_t count_;
  std::vector<double> values_;
};

// One after the other the centre that brings all rows nearest to their centre; ties go to the first.
std::vector<size_t> first_centres(const Distances& d, size_t k) {
  std::vector<size_t> centres;
  std::vector<double> nearest(d.count(), std::numeric_limits<double>::infinity());
  while (centres.size() < k) {
    size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < d.count(); ++c) {
      if (std::find(centres.begin(), centres.end(), c) != centres.end()) continue;
      double sum = 0;
      for (size_t i = 0; i < d.count(); ++i) sum += std::min(nearest[i], d(i, c));
      if (sum < least) least = sum, best = c;
    }
    centres.push_back(best);
    for (size_t i = 0; i < d.count(); ++i) nearest[i] = std::min(nearest[i], d(i, best));
  }
  return centres;
}

std::vector<size_t> assigned(const Distances& d, const std::vector<size_t>& centres) {
  std::vector<size_t> group_of(d.count());
  for (size_t i = 0; i < d.count(); ++i) {
    for (size_t g = 1; g < centres.size(); ++g) {
      if (d(i, centres[g]) < d(i, centres[group_of[i]])) group_of[i] = g;
    }
  }
  return group_of;
}

// The row of each group that is nearest to all others of it.
std::vector<size_t> middle_rows(const Distances& d, const std::vector<size_t>& group_of, std::vector<size_t> centres) {
  for (size_t g = 0; g < centres.size(); ++g) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < d.count(); ++c) {
      if (group_of[c] != g) continue;
      double sum = 0;
      for (size_t i = 0; i < d.count(); ++i) sum += group_of[i] == g ? d(i, c) : 0;
      if (sum < least) least = sum, centres[g] = c;
    }
  }
  return centres;
}

double mean_silhouette(const Distances& d, const std::vector<size_t>& group_of, size_t k) {
  double sum = 0;
  for (size_t i = 0; i < d.count(); ++i) {
    std::vector<double> to(k, 0.0), members(k, 0.0);
    for (size_t j = 0; j < d.count(); ++j) {
      if (j != i) to[group_of[j]] += d(i, j), ++members[group_of[j]];
    }
    const size_t own = group_of[i];
    if (members[own] == 0) continue;  // alone: 0 by convention
    const double inside = to[own] / members[own];
    double outside = std::numeric_limits<double>::infinity();
    for (size_t g = 0; g < k; ++g) {
      if (g != own && members[g] > 0) outside = std::min(outside, to[g] / members[g]);
    }
    if (const double larger = std::max(inside, outside); std::isfinite(outside) && larger > 0) {
      sum += (outside - inside) / larger;
    }
  }
  return sum / static_cast<double>(d.count());
}

std::vector<size_t> sizes_of(const Groups& groups) {
  std::vector<size_t> sizes(groups.centres.size(), 0);
  for (const size_t g : groups.group_of) ++sizes[g];
  return sizes;
}

Groups grouped(const Distances& d, size_t k) {
  Groups groups;
  groups.centres = first_centres(d, k);
  groups.group_of = assigned(d, groups.centres);
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<size_t> moved = middle_rows(d, groups.group_of, groups.centres);
    if (moved == groups.centres) break;
    groups.centres = moved;
    groups.group_of = assigned(d, groups.centres);
  }
  groups.silhouette = mean_silhouette(d, groups.group_of, k);
  return groups;
}

void sort_by_size(Groups& groups) {
  const std::vector<size_t> sizes = sizes_of(groups);
  std::vector<size_t> order(sizes.size()), place(sizes.size()), centres;
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i, centres.push_back(groups.centres[order[i]]);
  for (size_t& g : groups.group_of) g = place[g];
  groups.centres = std::move(centres);
}

}  // namespace

size_t nearest_centre(std::span<const double> unit, std::span<const std::vector<double>> units,
                      std::span<const size_t> centres) {
  size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t g = 0; g < centres.size(); ++g) {
    const double d = distance_of(unit, units[centres[g]]);
    if (d < least) least = d, nearest = g;
  }
  return nearest;
}

Groups group_explanations(std::span<const std::vector<double>> units, int64_t most) {
  const Distances d(units);
  Groups best{{}, std::vector<size_t>(units.size(), 0), 0};
  if (!units.empty()) best.centres = first_centres(d, 1);
  if (units.size() < 4) return best;
  const auto smallest = std::max(2.0, kSmallestGroup * static_cast<double>(units.size()));
  for (size_t k = 2; k <= std::min(static_cast<size_t>(most), units.size() / 2); ++k) {
    poll();
    Groups groups = grouped(d, k);
    const std::vector<size_t> sizes = sizes_of(groups);
    const size_t least = *std::min_element(sizes.begin(), sizes.end());
    if (static_cast<double>(least) < smallest || groups.silhouette <= best.silhouette) continue;
    best = std::move(groups);
  }
  sort_by_size(best);
  return best;
}

}  // namespace ascribe::core::study
