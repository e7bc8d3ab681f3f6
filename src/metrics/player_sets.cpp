#include "metrics/player_sets.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"

namespace ascribe::core {

double sum_over(const PlayerSet& set, std::span<const double> values) {
  double sum = 0;
  for (const int64_t p : set) sum += values[static_cast<size_t>(p)];
  return sum;
}

PlayerSet drawn_set(const Random& random, uint64_t index, int64_t players, int64_t size) {
  // The first steps of Fisher and Yates' shuffle; who was moved is noted.
  std::unordered_map<int64_t, int64_t> moved;
  const auto at = [&](int64_t i) { return moved.contains(i) ? moved[i] : i; };
  PlayerSet set;
  for (int64_t i = 0; i < size; ++i) {
    const auto bound = static_cast<uint64_t>(players - i);
    const int64_t j = i + static_cast<int64_t>(
                              random.below(index * static_cast<uint64_t>(players) + static_cast<uint64_t>(i), bound));
    set.push_back(at(j));
    moved[j] = at(i);
  }
  std::sort(set.begin(), set.end());
  return set;
}

int64_t set_size(std::string_view metric, double given, int64_t players) {
  const double size = given < 1 ? given * static_cast<double>(players) : given;
  const int64_t rounded = std::max<int64_t>(1, std::llround(size));
  if (rounded > players)
    fail(ErrorKind::argument, metric, "got sets of {} players; expected at most {}", rounded, players);
  return rounded;
}

}  // namespace ascribe::core
