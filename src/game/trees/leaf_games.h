// Trees as games. A coalition S takes its players' columns from x and the others' from a baseline b. A leaf is reached
// by S if and only if A is in S and B outside of it:
//   A   the players on the leaf's path of whom only x meets all conditions,   B   those of whom only b does;
// a player of whom neither does makes it unreachable. So v(S) = sum over leaves of value [A in S, B outside of S], and
// what is known of such simple games is known of trees, for any number of players (docs/theory/trees.md).
//
// Rows of x that meet the same conditions of a path are one group, and so are baselines: pairs of groups are looked at,
// not pairs of rows. A path may have 64 different players.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/tree_ensemble.h"

namespace ascribe::core {

inline constexpr int kMostPathPlayers = 64;

// Trees whose outputs are added up, of rows x and baselines b. Columns are as the trees see them.
struct TreePart {
  std::shared_ptr<const TreeEnsemble> trees;
  std::vector<int32_t> player;  // of each column; -1: nobody's, equal in x and b
  std::vector<double> x, b;     // [columns, rows] and [columns, baselines]
};

struct TreeGame {
  std::vector<TreePart> parts;
  int64_t players = 0, rows = 0, baselines = 0;
};

// The players on the path that has most of them.
int most_path_players(const TreeEnsemble& trees, const std::vector<int32_t>& player);

// Rows, or baselines, that may arrive at a node.
struct TreeSide {
  std::vector<int32_t> row, group;
  std::vector<uint64_t> met;  // of each group: the players of the path, as bits, of whom it meets all conditions
  std::vector<int32_t> size;  // of each group

  void clear() {
    row.clear();
    group.clear();
    met.clear();
    size.clear();
  }
};

struct ReachedLeaf {
  int32_t leaf;
  std::span<const int32_t> players;  // of the path, bit by bit
  const TreeSide& x;
  const TreeSide& b;

  uint64_t all() const { return players.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << players.size()) - 1; }
};

// Goes through one tree of a part with rows [first, last) and all baselines; calls f(ReachedLeaf) for each leaf that a
// mixture of one of the rows with one of the baselines reaches.
class TreeWalk {
 public:
  TreeWalk(const TreePart& part, int64_t rows, int64_t baselines) : part_(part), rows_(rows), baselines_(baselines) {}

  template <class F>
  void tree(int32_t root, int64_t first, int64_t last, F&& f) {
    sides_.resize(std::max<size_t>(sides_.size(), 1));
    start(sides_[0].x, first, last);
    start(sides_[0].b, 0, baselines_);
    path_.clear();
    visit(root, 0, f);
  }

 private:
  struct Sides {
    TreeSide x, b;
  };

  static void start(TreeSide& side, int64_t first, int64_t last);
  // The rows that take this child, in their groups; nobody's columns let pass only those whose number goes there.
  void descend(const TreeSide& from, TreeSide& to, const double* column, const TreeNode& node, bool yes, int slot,
               bool fresh);
  void prune(Sides& sides, uint64_t all, int slot);
  static void drop(TreeSide& side, const std::vector<uint8_t>& alive);

  template <class F>
  void visit(int32_t at, size_t depth, F&& f) {
    if (at < 0) {
      f(ReachedLeaf{~at, path_, sides_[depth].x, sides_[depth].b});
      return;
    }
    const TreeNode& node = part_.trees->nodes[static_cast<size_t>(at)];
    const int32_t player = part_.player[static_cast<size_t>(node.column)];
    int slot = -1;
    for (size_t i = 0; i < path_.size(); ++i) {
      if (path_[i] == player) slot = static_cast<int>(i);
    }
    const bool fresh = player >= 0 && slot < 0;
    if (fresh) {
      slot = static_cast<int>(path_.size());
      path_.push_back(player);
    }
    if (sides_.size() < depth + 2) sides_.resize(depth + 2);
    const uint64_t all = ReachedLeaf{0, path_, sides_[depth].x, sides_[depth].b}.all();
    for (const bool yes : {true, false}) {
      const double* x = part_.x.data() + node.column * rows_;
      const double* b = part_.b.data() + node.column * baselines_;
      descend(sides_[depth].x, sides_[depth + 1].x, x, node, yes, slot, fresh);
      descend(sides_[depth].b, sides_[depth + 1].b, b, node, yes, slot, fresh);
      prune(sides_[depth + 1], all, slot);
      if (!sides_[depth + 1].x.row.empty()) visit(yes ? node.yes : node.no, depth + 1, f);
    }
    if (fresh) path_.pop_back();
  }

  const TreePart& part_;
  int64_t rows_, baselines_;
  std::vector<int32_t> path_;
  std::vector<Sides> sides_;  // by depth
  std::vector<int32_t> fresh_group_;
  std::vector<uint8_t> alive_x_, alive_b_;
};

// One of the simple games, of all leaves with these sets together.
struct LeafGame {
  std::vector<int> inside, outside;  // A and B, ascending
  double weight = 0;
};

// The games of one row. `leaf_value`: of each part and leaf. Those with the same sets are one; they are in the order of
// their sets. The one with no players at all comes first, if there is one.
std::vector<LeafGame> leaf_games(const TreeGame& game, int64_t row, const std::vector<std::vector<double>>& leaf_value);

}  // namespace ascribe::core
