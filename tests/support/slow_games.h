// Games of a network the slow and obvious way: one masked row at a time through the reference interpreter.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "methods/question.h"
#include "support/interpret.h"

namespace ascribe::core {

// f of one row of the graph's only input.
inline double slow_output(const Graph& graph, const Tensor& row, int64_t target) {
  return interpret(graph, {{graph.inputs[0].name, row}}, 1)[0].at(target);
}

// The mean over the baselines of f(x with the elements that are not `present` at the baseline).
inline double slow_masked(const Graph& graph, const Question& q, const std::function<bool(int64_t element)>& present) {
  double sum = 0;
  for (int64_t b = 0; b < q.baseline_count(); ++b) {
    Tensor row = q.point[0];
    for (int64_t i = 0; i < row.size(); ++i) {
      if (!present(i)) row.mutable_data<double>()[i] = q.baselines.at(b * row.size() + i);
    }
    sum += slow_output(graph, row, q.target);
  }
  return sum / static_cast<double>(q.baseline_count());
}

// v(S); what nobody owns is always present.
inline double slow_value(const Graph& graph, const Question& q, const std::vector<int64_t>& set) {
  return slow_masked(graph, q, [&](int64_t i) {
    const int32_t owner = q.players.owner[static_cast<size_t>(i)];
    return owner < 0 || std::find(set.begin(), set.end(), owner) != set.end();
  });
}

// The mean over all m! orders of what a player adds to those before it.
inline std::vector<double> slow_shapley(const Graph& graph, const Question& q) {
  std::vector<int64_t> order(static_cast<size_t>(q.players.count()));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> sums(order.size());
  double orders = 0;
  do {
    std::vector<int64_t> before;
    for (const int64_t p : order) {
      std::vector<int64_t> with = before;
      with.push_back(p);
      sums[static_cast<size_t>(p)] += slow_value(graph, q, with) - slow_value(graph, q, before);
      before = with;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& sum : sums) sum /= orders;
  return sums;
}

inline std::vector<double> slow_occlusion(const Graph& graph, const Question& q) {
  std::vector<double> values;
  std::vector<int64_t> all(static_cast<size_t>(q.players.count()));
  std::iota(all.begin(), all.end(), 0);
  for (const int64_t p : all) {
    std::vector<int64_t> others = all;
    others.erase(others.begin() + p);
    values.push_back(slow_value(graph, q, all) - slow_value(graph, q, others));
  }
  return values;
}

// Per element of a chw image: every window that covers its pixel, all channels.
inline std::vector<double> slow_windows(const Graph& graph, const Question& q, int64_t size, int64_t stride) {
  const ImageShape image = *q.players.image;
  const int64_t plane = image.height * image.width;
  const double full = slow_masked(graph, q, [](int64_t) { return true; });
  std::vector<double> sums(static_cast<size_t>(plane)), counts(static_cast<size_t>(plane));
  const auto starts = [&](int64_t extent) {
    std::vector<int64_t> list = {0};
    while (list.back() + size < extent) list.push_back(list.back() + stride);
    return list;
  };
  for (const int64_t top : starts(image.height)) {
    for (const int64_t left : starts(image.width)) {
      const auto inside = [&](int64_t pixel) {
        const int64_t y = pixel / image.width, x = pixel % image.width;
        return y >= top && y < top + size && x >= left && x < left + size;
      };
      const double masked = slow_masked(graph, q, [&](int64_t i) { return !inside(i % plane); });
      for (int64_t pixel = 0; pixel < plane; ++pixel) {
        if (!inside(pixel)) continue;
        sums[static_cast<size_t>(pixel)] += full - masked;
        counts[static_cast<size_t>(pixel)] += 1;
      }
    }
  }
  std::vector<double> elements;
  for (int64_t i = 0; i < plane * image.channels; ++i) {
    elements.push_back(sums[static_cast<size_t>(i % plane)] / counts[static_cast<size_t>(i % plane)]);
  }
  return elements;
}

}  // namespace ascribe::core
