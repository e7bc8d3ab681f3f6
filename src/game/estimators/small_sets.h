// What the estimators share: places of single players and pairs in a list, prefixes of a permutation as coalitions,
// means over independent samples.
#pragma once

#include <cmath>
#include <utility>

#include "game/estimators/estimate.h"

namespace ascribe::core {

// All single players, then all pairs in the order of their members.
class SmallSets {
 public:
  explicit SmallSets(int64_t players) : players_(players) {}

  int64_t players() const { return players_; }
  int64_t size() const { return players_ + players_ * (players_ - 1) / 2; }
  int64_t pair(int64_t a, int64_t b) const {
    if (a > b) std::swap(a, b);
    return players_ + a * (2 * players_ - a - 1) / 2 + b - a - 1;
  }

 private:
  int64_t players_;
};

// A coalition that is changed player by player.
class GrowingSet {
 public:
  explicit GrowingSet(int64_t players) : words_(static_cast<size_t>((players + 63) / 64)) {}
  void toggle(int64_t player) { words_[static_cast<size_t>(player / 64)] ^= uint64_t{1} << (player % 64); }
  const std::vector<uint64_t>& words() const { return words_; }
  // Adds to the batch the set with one more player.
  void add_with(int64_t player, Coalitions& batch) {
    toggle(player);
    batch.add(std::span<const uint64_t>(words_));
    toggle(player);
  }

 private:
  std::vector<uint64_t> words_;
};

// Mean and standard error of samples that come one after the other.
class Moments {
 public:
  explicit Moments(int64_t size) : mean_(static_cast<size_t>(size)), squares_(mean_) {}

  void add(const std::vector<double>& sample) {
    ++count_;
    for (size_t i = 0; i < mean_.size(); ++i) {
      const double before = sample[i] - mean_[i];
      mean_[i] += before / static_cast<double>(count_);
      squares_[i] += before * (sample[i] - mean_[i]);
    }
  }
  int64_t count() const { return count_; }
  const std::vector<double>& mean() const { return mean_; }
  std::vector<double> standard_errors() const {
    std::vector<double> errors;
    const auto count = static_cast<double>(count_);
    for (const double squares : squares_) errors.push_back(std::sqrt(squares / (count - 1) / count));
    return errors;
  }

 private:
  int64_t count_ = 0;
  std::vector<double> mean_, squares_;
};

// The list of effects of these values, one per set of SmallSets.
Effects small_effects(int64_t players, const std::vector<double>& values, double empty, double full,
                      int64_t evaluations);

// Refuses a budget below what a method needs, or a game without pairs.
void check_budget(const Game& game, int64_t budget, int64_t needed, const char* what);

}  // namespace ascribe::core
