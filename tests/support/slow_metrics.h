// Metrics the slow and obvious way, from their definitions: one masked row at a time through the reference
// interpreter.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "support/slow_games.h"

namespace ascribe {

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

}  // namespace ascribe
