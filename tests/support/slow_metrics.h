// Metrics the slow and obvious way, from their definitions: one masked row at a time through the reference
// interpreter.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "support/slow_games.h"

namespace ascribe::core {

// What elements say that they lose at the baseline: contributions as they are, slopes times the mean of x - b.
inline std::vector<double> slow_claims(const Question& q, bool slopes, std::vector<double> elements) {
  const auto size = static_cast<int64_t>(elements.size());
  for (int64_t i = 0; slopes && i < size; ++i) {
    double difference = 0;
    for (int64_t b = 0; b < q.baseline_count(); ++b) difference += q.point[0].at(i) - q.baselines.at(b * size + i);
    elements[static_cast<size_t>(i)] *= difference / static_cast<double>(q.baseline_count());
  }
  return elements;
}

// (claimed, lost) for every square of a chw image.
struct SlowSquare {
  double claimed = 0, lost = 0;
};
inline std::vector<SlowSquare> slow_squares(const Graph& graph, const Question& q, const std::vector<double>& claims,
                                            int64_t side) {
  const ImageShape image = *q.players.image;
  const double full = slow_masked(graph, q, [](int64_t) { return true; });
  std::vector<SlowSquare> squares;
  for (int64_t top = 0; top + side <= image.height; ++top) {
    for (int64_t left = 0; left + side <= image.width; ++left) {
      const auto removed = [&](int64_t i) {
        const int64_t pixel = i % (image.height * image.width), y = pixel / image.width, x = pixel % image.width;
        const bool inside = y >= top && y < top + side && x >= left && x < left + side;
        return inside && q.players.owner[static_cast<size_t>(i)] >= 0;
      };
      SlowSquare square{0, full - slow_masked(graph, q, [&](int64_t i) { return !removed(i); })};
      for (size_t i = 0; i < claims.size(); ++i) {
        if (removed(static_cast<int64_t>(i))) square.claimed += claims[i];
      }
      squares.push_back(square);
    }
  }
  return squares;
}

inline double slow_infidelity(const std::vector<SlowSquare>& squares, double factor = 1) {
  double sum = 0;
  for (const SlowSquare& s : squares) sum += (factor * s.claimed - s.lost) * (factor * s.claimed - s.lost);
  return sum / static_cast<double>(squares.size());
}

// The least over many factors, by ternary search: the mean square is convex in the factor.
inline double slow_scaled_infidelity(const std::vector<SlowSquare>& squares, double most = 1e3) {
  double low = -most, high = most;
  for (int i = 0; i < 300; ++i) {
    const double third = (high - low) / 3;
    if (slow_infidelity(squares, low + third) < slow_infidelity(squares, high - third)) high -= third;
    else low += third;
  }
  return slow_infidelity(squares, (low + high) / 2);
}

// The expected share of the object among as many highest pixels: over all orders of the pixels that sort them, ties in
// every order. For few pixels.
inline double slow_rank_accuracy(const std::vector<double>& pixels, const std::vector<uint8_t>& object) {
  std::vector<size_t> order(pixels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto size = std::count(object.begin(), object.end(), uint8_t{1});
  double found = 0, orders = 0;
  do {
    bool sorted = true;
    for (size_t i = 1; i < order.size(); ++i) sorted = sorted && pixels[order[i - 1]] >= pixels[order[i]];
    if (!sorted) continue;
    ++orders;
    for (int64_t i = 0; i < size; ++i) found += object[order[static_cast<size_t>(i)]];
  } while (std::next_permutation(order.begin(), order.end()));
  return found / orders / static_cast<double>(size);
}

// The output when `stops` players are flipped, the highest first: it is looked for anew each time, and of equal ones
// the first is taken.
inline std::vector<double> slow_flips(const Graph& graph, const Question& q, std::vector<double> values,
                                      const std::vector<int64_t>& stops, bool away) {
  std::vector<int64_t> flipped;
  std::vector<double> curve;
  for (const int64_t stop : stops) {
    while (std::ssize(flipped) < stop) {
      const auto best = std::max_element(values.begin(), values.end());
      flipped.push_back(best - values.begin());
      *best = -std::numeric_limits<double>::infinity();
    }
    std::vector<int64_t> present;
    for (int64_t p = 0; p < q.players.count(); ++p) {
      const bool is_flipped = std::find(flipped.begin(), flipped.end(), p) != flipped.end();
      if (is_flipped != away) present.push_back(p);
    }
    curve.push_back(slow_value(graph, q, present));
  }
  return curve;
}

// From the textbook: the covariance over the root of the variances.
inline double slow_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sum_a = 0, sum_b = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i];
    sum_b += b[i];
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return (ab - sum_a * sum_b / n) / std::sqrt((aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n));
}

// One more than how many are smaller, and half of how many others are equal.
inline std::vector<double> slow_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double rank = 0.5;
    for (const double other : values) rank += other < value ? 1 : other == value ? 0.5 : 0;
    ranks.push_back(rank);
  }
  return ranks;
}

// Over all sets of `size` players: the correlation of what is claimed of them and what is lost without them.
inline double slow_set_correlation(const Graph& graph, const Question& q, const std::vector<double>& claims, int size) {
  const int64_t players = q.players.count();
  std::vector<double> claimed, lost;
  for (uint64_t bits = 0; bits < uint64_t{1} << players; ++bits) {
    if (__builtin_popcountll(bits) != size) continue;
    std::vector<int64_t> present;
    double claim = 0;
    for (int64_t p = 0; p < players; ++p) {
      if ((bits >> p & 1) != 0) claim += claims[static_cast<size_t>(p)];
      else present.push_back(p);
    }
    claimed.push_back(claim);
    lost.push_back(slow_masked(graph, q, [](int64_t) { return true; }) - slow_value(graph, q, present));
  }
  return slow_correlation(claimed, lost);
}

// The Gini index as the mean difference of two, relative to twice the mean.
inline double slow_gini(const std::vector<double>& values) {
  double differences = 0, sum = 0;
  for (const double a : values) {
    sum += std::fabs(a);
    for (const double b : values) differences += std::fabs(std::fabs(a) - std::fabs(b));
  }
  return differences / (2 * static_cast<double>(values.size()) * sum);
}

}  // namespace ascribe::core
