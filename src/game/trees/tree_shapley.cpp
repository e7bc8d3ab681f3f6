// Of the simple game [A in S, B outside of S], a = |A| and b = |B|, a player of A gets (a-1)! b! / (a+b)!, one of B
// -a! (b-1)! / (a+b)!: it decides when it comes last of A and before all of B, or first of B and after all of A.
// Source: Lundberg et al., "From local explanations to global understanding with explainable AI for trees",
// Nature Machine Intelligence 2 (2020), algorithm 3; groups of rows and baselines instead of pairs of them.
#include "game/trees/tree_shapley.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr int64_t kRowsAtOnce = 128;    // that go through the trees together
constexpr int64_t kRowsPerLook = 4096;  // between which the work can be stopped

// share[a][b] = (a-1)! b! / (a+b)! = 1 / (a C(a+b, a)); of a player of B it is share[b][a].
using Shares = std::array<std::array<double, kMostPathPlayers + 1>, kMostPathPlayers + 1>;

const Shares& shares() {
  static const Shares table = [] {
    Shares result{};
    for (int a = 1; a <= kMostPathPlayers; ++a) {
      for (int b = 0; a + b <= kMostPathPlayers; ++b) result[a][b] = 1 / (a * binomial(a + b, a));
    }
    return result;
  }();
  return table;
}

// Whether a tree says anything about the numbers in use.
bool matters(const TreeEnsemble& trees, int32_t root, const std::vector<std::vector<double>>& leaf_value) {
  std::vector<int32_t> open = {root};
  while (!open.empty()) {
    const int32_t at = open.back();
    open.pop_back();
    if (at >= 0) {
      open.push_back(trees.nodes[static_cast<size_t>(at)].no);
      open.push_back(trees.nodes[static_cast<size_t>(at)].yes);
    } else if (std::any_of(leaf_value.begin(), leaf_value.end(),
                           [&](const auto& of_target) { return of_target[static_cast<size_t>(~at)] != 0; })) {
      return true;
    }
  }
  return false;
}

// What a leaf of value one gives to the players of its path, for each group of rows.
class LeafShares {
 public:
  void compute(const ReachedLeaf& leaf) {
    const size_t players = leaf.players.size();
    values_.assign(players * leaf.x.met.size(), 0.0);
    const uint64_t all = leaf.all();
    const Shares& table = shares();
    for (size_t g = 0; g < leaf.x.met.size(); ++g) {
      double* out = values_.data() + g * players;
      const uint64_t outside = all & ~leaf.x.met[g];
      const int b = std::popcount(outside);
      double lost = 0;
      for (size_t h = 0; h < leaf.b.met.size(); ++h) {
        if ((leaf.x.met[g] | leaf.b.met[h]) != all) continue;
        const uint64_t inside = all & ~leaf.b.met[h];
        const int a = std::popcount(inside);
        const double share = leaf.b.size[h] * table[static_cast<size_t>(a)][static_cast<size_t>(b)];
        for (uint64_t rest = inside; rest != 0; rest &= rest - 1) out[std::countr_zero(rest)] += share;
        lost += leaf.b.size[h] * table[static_cast<size_t>(b)][static_cast<size_t>(a)];
      }
      for (uint64_t rest = outside; rest != 0; rest &= rest - 1) out[std::countr_zero(rest)] -= lost;
    }
  }
  const double* of_group(int32_t group, size_t players) const {
    return values_.data() + static_cast<size_t>(group) * players;
  }

 private:
  std::vector<double> values_;
};

// Adds what the rows [first, last) get.
void add_rows(const TreeGame& game, const TreeReadout& readout, const std::vector<std::vector<int32_t>>& roots,
              int64_t first, int64_t last, std::vector<double>& values) {
  LeafShares shares_of;
  for (size_t p = 0; p < game.parts.size(); ++p) {
    TreeWalk walk(game.parts[p], game.rows, game.baselines);
    for (const int32_t root : roots[p]) {
      walk.tree(root, first, last, [&](const ReachedLeaf& leaf) {
        const size_t players = leaf.players.size();
        shares_of.compute(leaf);
        for (size_t i = 0; i < leaf.x.row.size(); ++i) {
          const auto row = static_cast<size_t>(leaf.x.row[i]);
          const auto target = static_cast<size_t>(readout.target[row]);
          const double value = readout.leaf_value[p][target][static_cast<size_t>(leaf.leaf)];
          const double* share = shares_of.of_group(leaf.x.group[i], players);
          double* out = values.data() + row * static_cast<size_t>(game.players);
          for (size_t k = 0; k < players; ++k) out[leaf.players[k]] += value * share[k];
        }
      });
    }
  }
}

}  // namespace

std::vector<double> tree_shapley(const TreeGame& game, const TreeReadout& readout, const Progress& progress) {
  std::vector<double> values(static_cast<size_t>(game.rows * game.players), 0.0);
  std::vector<std::vector<int32_t>> roots;
  for (size_t p = 0; p < game.parts.size(); ++p) {
    roots.emplace_back();
    for (const int32_t root : game.parts[p].trees->roots) {
      if (matters(*game.parts[p].trees, root, readout.leaf_value[p])) roots.back().push_back(root);
    }
  }
  for (int64_t begin = 0; begin < game.rows; begin += kRowsPerLook) {
    const int64_t some = std::min(kRowsPerLook, game.rows - begin);
    parallel_for(some, kRowsAtOnce, [&](int64_t first, int64_t last) {
      add_rows(game, readout, roots, begin + first, begin + last, values);
    });
    report(progress, "trees", begin + some, game.rows);
  }
  for (double& value : values) value /= static_cast<double>(game.baselines);
  return values;
}

}  // namespace ascribe::core
