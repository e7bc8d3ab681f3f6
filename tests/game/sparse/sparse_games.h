// Games with known dividends, of any number of players.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/random.h"
#include "game/sparse/effect_estimator.h"

namespace ascribe::core {

using SetValues = std::map<std::vector<int>, double>;

inline bool has_all(const Coalitions& sets, int64_t row, const std::vector<int>& set) {
  return std::all_of(set.begin(), set.end(), [&](int player) { return sets.has(row, player); });
}

// v(S) = constant + the dividends of all sets inside S, plus noise that is new at every evaluation.
inline Game sparse_game(int64_t players, SetValues dividends, double constant = 0, double noise = 0,
                        uint64_t seed = 0) {
  const auto asked = std::make_shared<uint64_t>(0);
  return {players, [=](const Coalitions& sets, std::span<double> out, const Progress&) {
            for (int64_t row = 0; row < sets.size(); ++row) {
              double value = constant + (noise > 0 ? noise * Random(seed, 991).normal((*asked)++) : 0);
              for (const auto& [set, own] : dividends) value += has_all(sets, row, set) ? own : 0;
              out[static_cast<size_t>(row)] = value;
            }
          }};
}

// `each` sets of every size from 1 to `orders`, with values of either sign between 0.5 and 2.5.
inline SetValues random_dividends(int64_t players, int orders, int each, uint64_t seed) {
  SetValues result;
  const Random random(seed, 992);
  uint64_t next = 0;
  for (int size = 1; size <= orders; ++size) {
    for (int i = 0; i < each; ++i) {
      const std::vector<int64_t> order = random.permutation(next++, players);
      std::vector<int> set(order.begin(), order.begin() + size);
      std::sort(set.begin(), set.end());
      const double value = 0.5 + 2 * random.uniform(1000 + next);
      result[set] = next % 2 == 0 ? value : -value;
    }
  }
  return result;
}

inline SetValues values_by_set(const SparseEstimate& estimate) {
  SetValues result;
  for (const Effect& effect : estimate.effects.effects) result[effect.support] = effect.value;
  return result;
}

}  // namespace ascribe::core
