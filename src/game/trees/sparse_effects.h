// Effects of those sets only that something was added to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "game/effects.h"

namespace ascribe::core {

class SparseEffects {
 public:
  // The set need not be sorted; the empty one is passed over.
  void add(std::vector<int> set, double value) {
    if (set.empty()) return;
    std::sort(set.begin(), set.end());
    values_[std::move(set)] += value;
  }
  size_t size() const { return values_.size(); }

  // By size, then in the order of their players.
  Effects sorted(int64_t players, int order, double output, double baseline_output) const {
    Effects result;
    result.players = players;
    result.output = output;
    result.baseline_output = baseline_output;
    result.remainder = result.change();
    for (const auto& [set, value] : values_) result.effects.push_back({set, {}, value});
    std::sort(result.effects.begin(), result.effects.end(), [](const Effect& a, const Effect& b) {
      return a.support.size() != b.support.size() ? a.support.size() < b.support.size() : a.support < b.support;
    });
    for (const Effect& effect : result.effects) result.remainder -= effect.value;
    const int largest = result.effects.empty() ? 1 : static_cast<int>(result.effects.back().support.size());
    result.order = std::min(order, largest);
    return result;
  }

 private:
  struct Hash {
    size_t operator()(const std::vector<int>& set) const {
      uint64_t hash = set.size();
      for (const int player : set) hash = (hash ^ static_cast<uint64_t>(player)) * 0x9E3779B97F4A7C15U;
      return static_cast<size_t>(hash ^ hash >> 32);
    }
  };
  std::unordered_map<std::vector<int>, double, Hash> values_;
};

}  // namespace ascribe::core
