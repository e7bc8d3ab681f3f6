// What people look at first in all 2^m dividends (game/effect_summary.h), taken from a stream of them that need not fit
// into memory: the strongest effects, sums by number of players, and sums over the supersets of small sets, which many
// interaction indices are.
//
// Sets come in blocks of 2^kBlockPlayers, in any order. What is summed within a block is summed in the order of its
// sets, what is summed over blocks is exact (base/exact_sum.h): all results have the same bits however the blocks are
// cut into pieces and whoever works on them.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/exact_sum.h"
#include "game/effect_summary.h"
#include "game/strongest.h"

namespace ascribe::core {

inline constexpr int kBlockPlayers = 10;

// I(S) = sum over T containing S of weight(|S|, |T|, order) a(T), for all S of 1 .. order players.
struct SupersetWeight {
  double (*weight)(int s, int t, int order) = nullptr;
  int order = 1;
};

class EffectStream {
 public:
  // `output`, `baseline_output`: of the game, for the size of rounding errors.
  EffectStream(int players, double output, double baseline_output, const SummaryOptions& options,
               std::vector<SupersetWeight> weights = {});

  // The dividends of the sets first, first + 1, ...: whole blocks, or a whole game that is smaller than one. Every set
  // must come once. Set 0 is f(b).
  void add(uint64_t first, std::span<const double> dividends);

  double total() const;  // of all dividends and f(b)
  // Everything but the evaluations. The remainder is what the total leaves of the output.
  EffectSummary summary() const;
  // The index of this weight, in the order of sets_up_to (game/subsets.h).
  std::vector<double> superset_sums(size_t weight) const;

 private:
  struct BlockTotals;
  struct Round;

  // The sums over the supersets of the sets of `size` players, for one of the weights.
  struct Sums {
    int size = 0;
    std::vector<double> weights;                  // by |T|
    std::unordered_map<uint64_t, size_t> places;  // of a set among those of its size, in order
    std::vector<ExactSum> values;
  };

  void take_block(uint64_t first, std::span<const double> block, BlockTotals& totals, Round& round) const;
  void add_to_sums(uint64_t high, const BlockTotals& totals);

  int players_, low_;  // players; those within a block
  SummaryOptions options_;
  double output_, baseline_output_;
  std::vector<uint8_t> members_;  // of each set of a block
  std::vector<double> rounding_;  // by number of players
  std::vector<ExactSum> sum_, absolute_;
  std::vector<int64_t> count_, beyond_;
  std::vector<double> independent_;
  Strongest all_, pairs_, triples_;
  std::vector<std::vector<Sums>> sums_;  // by weight, then by size
  // The sets of u players of a block; and of h players those of v, as bits of their places.
  std::vector<std::vector<uint64_t>> low_sets_;
  std::vector<std::vector<std::vector<uint64_t>>> picks_;
};

// The sum of the dividends of all sets, as a stream of them has it.
double total_of_dividends(std::span<const double> dividends);

}  // namespace ascribe::core
