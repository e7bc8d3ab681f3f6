#include "game/effect_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kBlockSets = uint64_t{1} << kBlockPlayers;
constexpr int64_t kBlocksPerChunk = 16;   // that one thread takes at a time
constexpr int64_t kBlocksPerRound = 512;  // whose totals are kept until they are added up

using OfSizes = std::array<double, kBlockPlayers + 1>;  // by number of players of the block

std::vector<uint8_t> members_of_block_sets(int players) {
  std::vector<uint8_t> members(size_t{1} << players);
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<uint8_t>(std::popcount(i));
  return members;
}

std::vector<uint64_t> sets_of_size(int players, int size) {
  if (size == 0) return {0};
  std::vector<uint64_t> sets = sets_up_to(players, size);
  std::erase_if(sets, [&](uint64_t set) { return std::popcount(set) != size; });
  return sets;
}

OfSizes sums_by_size(std::span<const double> block, const std::vector<uint8_t>& members) {
  OfSizes sums{};
  for (size_t i = 0; i < block.size(); ++i) sums[members[i]] += block[i];
  return sums;
}

}  // namespace

struct EffectStream::BlockTotals {
  OfSizes sum{}, absolute{};
  std::array<int64_t, kBlockPlayers + 1> count{}, beyond{};
  // For every weight, every size s and every u <= s: the sums over the supersets of u players of the block, with the
  // weights of sets of s players.
  std::vector<double> supersets;
};

// What several blocks found that is worth keeping.
struct EffectStream::Round {
  Strongest all, pairs, triples;
};

EffectStream::EffectStream(int players, double output, double baseline_output, const SummaryOptions& options,
                           std::vector<SupersetWeight> weights)
    : players_(players),
      low_(std::min(players, kBlockPlayers)),
      options_(options),
      output_(output),
      baseline_output_(baseline_output),
      members_(members_of_block_sets(low_)),
      sum_(static_cast<size_t>(players) + 1),
      absolute_(sum_.size()),
      count_(sum_.size()),
      beyond_(sum_.size()),
      independent_(static_cast<size_t>(players)),
      all_(options.strongest),
      pairs_(options.pairs),
      triples_(options.triples) {
  require(players >= 0 && players < 63, "effects", "too many players for a set in a number");
  const double scale = std::max(std::abs(output), std::abs(baseline_output));
  for (int k = 0; k <= players; ++k) rounding_.push_back(4 * options.epsilon * scale * std::exp2(0.5 * k));
  int most = 0;  // players of a set that sums are asked for
  for (const SupersetWeight& asked : weights) {
    std::vector<Sums>& sizes = sums_.emplace_back();
    for (int s = 1; s <= std::min(asked.order, players); ++s) {
      Sums& sums = sizes.emplace_back();
      sums.size = s;
      for (int t = 0; t <= players; ++t) sums.weights.push_back(t < s ? 0 : asked.weight(s, t, asked.order));
      for (const uint64_t set : sets_of_size(players, s)) sums.places.try_emplace(set, sums.places.size());
      sums.values.resize(sums.places.size());
      most = std::max(most, s);
    }
  }
  for (int u = 0; u <= std::min(most, low_); ++u) low_sets_.push_back(sets_of_size(low_, u));
  for (int h = 0; h <= players - low_; ++h) {
    picks_.emplace_back();
    for (int v = 0; v <= std::min(most, h); ++v) picks_.back().push_back(sets_of_size(h, v));
  }
}

void EffectStream::take_block(uint64_t first, std::span<const double> block, BlockTotals& totals, Round& round) const {
  const auto high = static_cast<size_t>(std::popcount(first));
  totals.sum = sums_by_size(block, members_);
  for (size_t i = 0; i < block.size(); ++i) {
    const size_t low = members_[i], order = high + low;
    const double value = block[i], magnitude = std::abs(value);
    const bool is_beyond = magnitude > rounding_[order];
    totals.absolute[low] += magnitude;
    ++totals.count[low];
    totals.beyond[low] += is_beyond ? 1 : 0;
    if (order == 0) continue;
    const auto set = static_cast<int64_t>(first + i);
    if (!all_.too_weak(magnitude) && !round.all.too_weak(magnitude)) round.all.offer(value, set);
    if (order == 2 && is_beyond) round.pairs.offer(value, set);
    if (order == 3 && is_beyond) round.triples.offer(value, set);
  }
  std::vector<double> weighted(block.size());
  for (const std::vector<Sums>& sizes : sums_) {
    for (const Sums& sums : sizes) {
      const double* weights = sums.weights.data() + high;
      for (size_t i = 0; i < block.size(); ++i) weighted[i] = weights[members_[i]] * block[i];
      for (int u = 0; u <= std::min(sums.size, low_); ++u) {
        const std::vector<double> of_size = superset_sums_of_size(weighted, low_, u);
        totals.supersets.insert(totals.supersets.end(), of_size.begin(), of_size.end());
      }
    }
  }
}

// A set S is made of players U of the block and players V of those that all sets of the block have.
void EffectStream::add_to_sums(uint64_t high, const BlockTotals& totals) {
  const std::vector<int> members = members_of(high);
  const auto of_high = static_cast<int>(members.size());
  const double* next = totals.supersets.data();
  for (std::vector<Sums>& sizes : sums_) {
    for (Sums& sums : sizes) {
      for (int u = 0; u <= std::min(sums.size, low_); ++u) {
        const std::vector<uint64_t>& low_sets = low_sets_[static_cast<size_t>(u)];
        const int v = sums.size - u;
        if (v <= of_high) {
          for (const uint64_t pick : picks_[static_cast<size_t>(of_high)][static_cast<size_t>(v)]) {
            uint64_t set = 0;
            for (uint64_t rest = pick; rest != 0; rest &= rest - 1) {
              set |= uint64_t{1} << members[static_cast<size_t>(std::countr_zero(rest))];
            }
            for (size_t i = 0; i < low_sets.size(); ++i) {
              sums.values[sums.places.find(set | low_sets[i])->second].add(next[i]);
            }
          }
        }
        next += low_sets.size();
      }
    }
  }
}

void EffectStream::add(uint64_t first, std::span<const double> dividends) {
  const size_t block = members_.size();
  require(first % block == 0 && dividends.size() % block == 0 && first + dividends.size() <= uint64_t{1} << players_,
          "effects", "a piece of a game is not made of whole blocks");
  const auto blocks = static_cast<int64_t>(dividends.size() / block);
  for (int64_t begin = 0; begin < blocks; begin += kBlocksPerRound) {
    const int64_t count = std::min(kBlocksPerRound, blocks - begin);
    std::vector<BlockTotals> totals(static_cast<size_t>(count));
    std::vector<Round> rounds(static_cast<size_t>((count + kBlocksPerChunk - 1) / kBlocksPerChunk),
                              {Strongest(options_.strongest), Strongest(options_.pairs), Strongest(options_.triples)});
    parallel_for(count, kBlocksPerChunk, [&](int64_t from, int64_t to) {
      for (int64_t b = from; b < to; ++b) {
        const auto offset = static_cast<size_t>(begin + b) * block;
        take_block(first + offset, dividends.subspan(offset, block), totals[static_cast<size_t>(b)],
                   rounds[static_cast<size_t>(b / kBlocksPerChunk)]);
      }
    });
    for (const Round& round : rounds) {
      for (const auto& [set, value] : round.all.sorted()) all_.offer(value, set);
      for (const auto& [set, value] : round.pairs.sorted()) pairs_.offer(value, set);
      for (const auto& [set, value] : round.triples.sorted()) triples_.offer(value, set);
    }
    for (int64_t b = 0; b < count; ++b) {
      const uint64_t set = first + static_cast<uint64_t>(begin + b) * block;
      const BlockTotals& of = totals[static_cast<size_t>(b)];
      const auto high = static_cast<size_t>(std::popcount(set));
      for (size_t k = 0; k <= static_cast<size_t>(low_); ++k) {
        sum_[high + k].add(of.sum[k]);
        absolute_[high + k].add(of.absolute[k]);
        count_[high + k] += of.count[k];
        beyond_[high + k] += of.beyond[k];
      }
      if (!sums_.empty()) add_to_sums(set, of);
    }
  }
  for (int p = 0; p < players_; ++p) {
    const uint64_t alone = uint64_t{1} << p;
    if (alone >= first && alone - first < dividends.size()) {
      independent_[static_cast<size_t>(p)] = dividends[static_cast<size_t>(alone - first)];
    }
  }
}

double EffectStream::total() const {
  ExactSum total;
  for (const ExactSum& sum : sum_) total.add(sum);
  return total.value();
}

EffectSummary EffectStream::summary() const {
  EffectSummary summary;
  summary.players = summary.order = players_;
  summary.baseline_output = baseline_output_;
  const double sum = total();
  summary.remainder = output_ - sum;
  summary.output = sum + summary.remainder;
  summary.independent = independent_;
  for (size_t k = 1; k < sum_.size(); ++k) {
    OrderSummary order;
    order.order = static_cast<int>(k);
    order.count = count_[k];
    order.sum = sum_[k].value();
    order.absolute = absolute_[k].value();
    order.rounding = rounding_[k];
    order.beyond_rounding = beyond_[k];
    summary.count += order.count;
    summary.orders.push_back(order);
  }
  const auto effects = [](const Strongest& strongest) {
    std::vector<Effect> list;
    for (const auto& [set, value] : strongest.sorted()) {
      list.push_back({members_of(static_cast<uint64_t>(set)), {}, value});
    }
    return list;
  };
  summary.strongest = effects(all_);
  summary.pairs = effects(pairs_);
  summary.triples = effects(triples_);
  return summary;
}

std::vector<double> EffectStream::superset_sums(size_t weight) const {
  std::vector<double> result;
  for (const Sums& sums : sums_[weight]) {
    for (const ExactSum& sum : sums.values) result.push_back(sum.value());
  }
  return result;
}

double total_of_dividends(std::span<const double> dividends) {
  const size_t block = std::min<size_t>(dividends.size(), kBlockSets);
  const std::vector<uint8_t> members = members_of_block_sets(std::countr_zero(block));
  ExactSum total;
  for (size_t first = 0; first < dividends.size(); first += block) {
    const OfSizes sums = sums_by_size(dividends.subspan(first, block), members);
    for (size_t k = 0; k <= static_cast<size_t>(std::countr_zero(block)); ++k) total.add(sums[k]);
  }
  return total.value();
}

}  // namespace ascribe::core
