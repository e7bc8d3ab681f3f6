#include "game/estimators/odd_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace ascribe::core {

namespace {

constexpr int64_t kTried = 512;                // pairs that choose the kernel
constexpr int64_t kTriedForSets = 768;         // pairs that choose sets
constexpr int64_t kHalvings = 6;               // of the draws, to see by how much halves differ
constexpr double kLeast = 1e-3;                // a player's share of the largest weight
constexpr double kLeastSeen = 1e-5;            // the same, of weights that are learned
constexpr int64_t kPlenty = 16;                // pairs for each player that let its weight be learned
constexpr int64_t kLessons = 8;                // rounds of learning
constexpr size_t kOfThree = 40, kOfFive = 14;  // the strongest players, whose sets of three and five are looked at
constexpr size_t kMostSets = 32,
                 kSetsAtOnce = 8;  // that vary on their own; added before the others are looked at again
constexpr double kUnknown = 0.1;   // their variance before draws tell it
constexpr double kLeastNoise = 1e-10;

// By how strong each player is; all alike if none is.
std::vector<double> weights_of(const std::vector<double>& strengths, double power, double least) {
  const double largest = *std::max_element(strengths.begin(), strengths.end());
  double sum = 0;
  std::vector<double> weights;
  for (const double strength : strengths) {
    weights.push_back(largest > 0 ? std::pow(strength / largest + least, power) : 1);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// All sets of so many of the strongest players.
std::vector<std::vector<int64_t>> sets_of_strongest(const std::vector<double>& strengths, size_t most, size_t members) {
  std::vector<int64_t> players = OddDraws::range(0, std::ssize(strengths));
  std::stable_sort(players.begin(), players.end(), [&](int64_t a, int64_t b) {
    return strengths[static_cast<size_t>(a)] > strengths[static_cast<size_t>(b)];
  });
  players.resize(std::min(players.size(), most));
  std::vector<std::vector<int64_t>> sets;
  std::vector<size_t> places(members);
  std::iota(places.begin(), places.end(), size_t{0});
  while (players.size() >= members) {
    std::vector<int64_t> set;
    for (const size_t place : places) set.push_back(players[place]);
    sets.push_back(std::move(set));
    size_t last = members;
    while (last > 0 && places[last - 1] == players.size() - members + last - 1) --last;
    if (last == 0) break;
    ++places[last - 1];
    for (size_t i = last; i < members; ++i) places[i] = places[i - 1] + 1;
  }
  return sets;
}

// The most surprising ones beyond chance that are not there yet, some at a time: what one explains, others need not.
void add_surprising(std::vector<OddSet>& sets, const std::vector<std::vector<int64_t>>& looked_at,
                    const std::vector<double>& surprises, double chance) {
  std::vector<int64_t> order = OddDraws::range(0, std::ssize(looked_at));
  const auto surprise = [&](int64_t k) { return surprises[static_cast<size_t>(k)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return surprise(a) > surprise(b); });
  for (size_t i = 0; i < std::min(order.size(), kSetsAtOnce) && sets.size() < kMostSets; ++i) {
    const auto& members = looked_at[static_cast<size_t>(order[i])];
    const bool known = std::any_of(sets.begin(), sets.end(), [&](const OddSet& s) { return s.members == members; });
    if (surprise(order[i]) > chance && !known) sets.push_back({members, kUnknown});
  }
}

class Choice {
 public:
  explicit Choice(const OddDraws& odd)
      : odd_(odd), tried_(std::min(std::ssize(odd.y), std::max(kTried, 3 * odd.design.players))), halved_(tried_) {}

  ChosenKernel best(const std::vector<double>& slopes) {
    std::vector<double> strengths;
    for (const double slope : slopes) strengths.push_back(slope * slope);
    const bool learned = std::ssize(odd_.y) >= kPlenty * odd_.design.players;
    for (const double power : {0.5, 0.0, 1.0}) {
      const std::vector<double> weights = weights_of(strengths, power, kLeast);
      for (const double steepness : {0.0, 1.0, 4.0}) consider({weights, steepness, 1e-3});
      if (learned) continue;
      for (const double steepness : {0.5, 2.0, 8.0}) consider({weights, steepness, 1e-3});
    }
    if (!kernel_) return {{weights_of(strengths, 0, kLeast), 1, 0.1}, 1};
    if (learned) learn_weights(kLessons);
    const OddKernel first = *kernel_;
    for (const double noise : {1e-8, 1e-6, 1e-5, 1e-4, 1e-2, 1e-1}) {
      consider({first.weights, first.steepness, noise});
    }
    // Less noise may let the third order alone, or all of them, explain more.
    const OddKernel second = *kernel_;
    for (const double steepness : {0.0, 1.0, 3.0, 6.0}) consider({second.weights, steepness, second.noise});
    if (learned) {
      for (const double steepness : {2.0, 8.0}) consider({second.weights, steepness, second.noise});
    }
    if (second.noise < 1e-4) consider({second.weights, 0, 1e-8});
    if (learned) learn_weights(2);
    if (learned) find_sets();
    // Draws that have not chosen, as far as there are any.
    const OddProcess process = odd_.process(*kernel_, std::ssize(odd_.y) - halved_, halved_);
    const double calibration = process.solved() ? process.calibration() : 1;
    if (!learned) return {*kernel_, calibration * disagreement()};
    // Weights that draws have taught leave too little in doubt: that less is missed than expected is no reason to
    // expect even less, and elsewhere more is missed than where so many numbers were learned (Akaike 1969).
    const auto taught = static_cast<double>(halved_), weights = static_cast<double>(odd_.design.players);
    return {*kernel_, std::max(1.0, calibration) * (taught + weights) / (taught - weights) * disagreement()};
  }

 private:
  OddProcess consider(const OddKernel& kernel) {
    OddProcess process = odd_.process(kernel, 0, tried_);
    if (process.solved() && (!kernel_ || process.log_likelihood() > likelihood_)) {
      likelihood_ = process.log_likelihood();
      kernel_ = kernel;
    }
    return process;
  }

  // A slope says little about how much a player has to do with others. What the process finds of sets of three does,
  // and a process with these weights finds more, until draws do not become likelier.
  void learn_weights(int64_t rounds) {
    for (int64_t round = 0; round < rounds; ++round) {
      const OddKernel before = *kernel_;
      const double likelihood = likelihood_;
      const std::vector<double> strengths = odd_.process(before, 0, tried_).strength_in_threes();
      for (const double power : {0.5, 0.75, 1.0}) {
        consider({weights_of(strengths, power, kLeastSeen), before.steepness, before.noise});
      }
      if (!(likelihood_ > likelihood)) return;
    }
  }

  // Sets that say more than chance would make the strongest of all that are looked at say. Trees have few sets of five.
  void find_sets() {
    tried_ = std::max(tried_, std::min(std::ssize(odd_.y), kTriedForSets));
    std::optional<OddProcess> now = odd_.process(*kernel_, 0, tried_);
    if (!now->solved()) return;
    likelihood_ = now->log_likelihood();
    const std::vector<double> strengths = now->strength_in_threes();
    std::vector<std::vector<int64_t>> looked_at = sets_of_strongest(strengths, kOfThree, 3);
    for (auto& set : sets_of_strongest(strengths, kOfFive, 5)) looked_at.push_back(std::move(set));
    if (looked_at.size() < 2) return;
    // Of so many squares of normal numbers the largest is about:
    const double tail = std::log(static_cast<double>(looked_at.size()));
    const double chance = 2 * tail - std::log(std::numbers::pi * tail);
    for (;;) {
      const double likelihood = likelihood_;
      OddKernel more = *kernel_;
      add_surprising(more.sets, looked_at, now->surprises(looked_at), chance);
      if (more.sets.size() == kernel_->sets.size()) return;
      for (int64_t step = 0; step < 2; ++step) {
        now = odd_.process(more, 0, tried_);
        if (!now->solved()) return;
        more.sets = now->likelier_sets();
      }
      // They may have been what looked like noise.
      for (double best = -INFINITY; more.noise >= kLeastNoise; more.noise /= 10) {
        const OddProcess next = consider(more);
        if (!next.solved() || !(next.log_likelihood() > best)) break;
        best = next.log_likelihood();
      }
      if (!(likelihood_ > likelihood)) return;
      now = odd_.process(*kernel_, 0, tried_);
    }
  }

  // How far Shapley values from two halves of the draws lie apart, squared, in units of what the halves expect of
  // themselves; over some ways to halve them, and 1 at least. Missed values that lean the same way at many coalitions
  // add up in Shapley values, which values left out one at a time do not show.
  double disagreement() const {
    const int64_t pairs = std::min(std::ssize(odd_.y), 2 * halved_), half = pairs / 2;
    double apart = 0, expected = 0;
    for (int64_t way = 0; way < kHalvings; ++way) {
      std::array<OddProcess::Shapley, 2> found;
      double variance = 0;
      for (int64_t side = 0; side < 2; ++side) {
        const OddProcess process = odd_.process(*kernel_, halved(std::ssize(odd_.y) - pairs, pairs, way, side));
        if (!process.solved()) return 1;
        found.at(static_cast<size_t>(side)) = process.shapley();
        variance += process.variance() / 2;
      }
      for (size_t i = 0; i < found[0].values.size(); ++i) {
        apart += (found[0].values[i] - found[1].values[i]) * (found[0].values[i] - found[1].values[i]);
        expected += variance * (found[0].variances[i] + found[1].variances[i]);
      }
    }
    return half > odd_.design.players && expected > 0 ? std::max(1.0, apart / expected) : 1;
  }

  // Pairs of one side: by a bit of their number, or by whether two bits differ.
  static std::vector<int64_t> halved(int64_t first, int64_t pairs, int64_t way, int64_t side) {
    std::vector<int64_t> some;
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t bit = (i >> (way / 2)) & 1, next = (i >> (way / 2 + 1)) & 1;
      if ((way % 2 == 0 ? bit : bit ^ next) == side) some.push_back(first + i);
    }
    return some;
  }

  const OddDraws& odd_;
  int64_t tried_, halved_;  // pairs: that choose; half of those that are halved
  std::optional<OddKernel> kernel_;
  double likelihood_ = 0;
};

}  // namespace

OddProcess OddDraws::process(OddKernel kernel, const std::vector<int64_t>& pairs) const {
  kernel.slopes = slopes;
  std::vector<double> values, signs = rows(pairs);
  for (const int64_t pair : pairs) values.push_back(y[static_cast<size_t>(pair)]);
  values.push_back(full);
  signs.insert(signs.end(), static_cast<size_t>(design.players), 1.0);
  return {kernel, std::move(signs), std::move(values)};
}

std::vector<double> OddDraws::rows(const std::vector<int64_t>& pairs) const {
  const int64_t n = design.players;
  std::vector<double> result(pairs.size() * static_cast<size_t>(n), -1.0);
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (const int64_t p : design.sets[static_cast<size_t>(pairs[i])]) {
      result[i * static_cast<size_t>(n) + static_cast<size_t>(p)] = 1;
    }
  }
  return result;
}

std::vector<int64_t> OddDraws::range(int64_t from, int64_t count) {
  std::vector<int64_t> pairs(static_cast<size_t>(count));
  std::iota(pairs.begin(), pairs.end(), from);
  return pairs;
}

ChosenKernel choose_kernel(const OddDraws& draws, const std::vector<double>& slopes) {
  return Choice(draws).best(slopes);
}

}  // namespace ascribe::core
