#include "game/trees/leaf_games.h"

#include <algorithm>
#include <tuple>

namespace ascribe::core {

int most_path_players(const TreeEnsemble& trees, const std::vector<int32_t>& player) {
  // Nodes come before their children, so the players above a node are known when it is looked at.
  std::vector<std::vector<int32_t>> above(trees.nodes.size());
  size_t most = 0;
  for (size_t at = 0; at < trees.nodes.size(); ++at) {
    const TreeNode& node = trees.nodes[at];
    std::vector<int32_t> path = std::move(above[at]);
    above[at].shrink_to_fit();
    const int32_t owner = player[static_cast<size_t>(node.column)];
    if (owner >= 0 && std::find(path.begin(), path.end(), owner) == path.end()) path.push_back(owner);
    most = std::max(most, path.size());
    if (most > kMostPathPlayers) break;
    if (node.yes >= 0) above[static_cast<size_t>(node.yes)] = path;
    if (node.no >= 0) above[static_cast<size_t>(node.no)] = std::move(path);
  }
  return static_cast<int>(most);
}

void TreeWalk::start(TreeSide& side, int64_t first, int64_t last) {
  side.clear();
  for (int64_t r = first; r < last; ++r) side.row.push_back(static_cast<int32_t>(r));
  side.group.assign(side.row.size(), 0);
  side.met = {0};
  side.size = {static_cast<int32_t>(last - first)};
}

void TreeWalk::descend(const TreeSide& from, TreeSide& to, const double* column, const TreeNode& node, bool yes,
                       int slot, bool fresh) {
  to.clear();
  const TreeEnsemble& trees = *part_.trees;
  const bool plain = node.test == TreeTest::leq && !node.missing_yes;
  const uint64_t bit = slot < 0 ? 0 : uint64_t{1} << slot;
  // Groups of the parent come apart into those that meet this condition and those that do not.
  fresh_group_.assign(2 * from.met.size(), -1);
  for (size_t i = 0; i < from.row.size(); ++i) {
    const double value = column[from.row[i]];
    const bool meets = (plain ? value <= node.threshold : trees.goes_yes(node, value)) == yes;
    if (slot < 0 && !meets) continue;
    const auto group = static_cast<size_t>(from.group[i]);
    const bool holds = slot < 0 || (meets && (fresh || (from.met[group] & bit) != 0));
    int32_t& place = fresh_group_[2 * group + (holds ? 1 : 0)];
    if (place < 0) {
      place = static_cast<int32_t>(to.met.size());
      to.met.push_back(holds ? from.met[group] | bit : from.met[group] & ~bit);
      to.size.push_back(0);
    }
    ++to.size[static_cast<size_t>(place)];
    to.row.push_back(from.row[i]);
    to.group.push_back(place);
  }
}

void TreeWalk::drop(TreeSide& side, const std::vector<uint8_t>& alive) {
  if (std::find(alive.begin(), alive.end(), 0) == alive.end()) return;
  std::vector<int32_t> place(alive.size(), -1);
  int32_t count = 0;
  for (size_t g = 0; g < alive.size(); ++g) {
    if (alive[g] == 0) continue;
    side.met[static_cast<size_t>(count)] = side.met[g];
    side.size[static_cast<size_t>(count)] = side.size[g];
    place[g] = count++;
  }
  side.met.resize(static_cast<size_t>(count));
  side.size.resize(static_cast<size_t>(count));
  size_t kept = 0;
  for (size_t i = 0; i < side.row.size(); ++i) {
    const int32_t group = place[static_cast<size_t>(side.group[i])];
    if (group < 0) continue;
    side.row[kept] = side.row[i];
    side.group[kept++] = group;
  }
  side.row.resize(kept);
  side.group.resize(kept);
}

namespace {

// Marks the groups of `side` that have a partner on the other one, with whom every player is met. A group that meets
// the newest player keeps the partners it had above; the others need one that does.
void mark_partners(const TreeSide& side, const TreeSide& other, uint64_t newest, uint64_t all,
                   std::vector<uint8_t>& alive) {
  alive.assign(side.met.size(), 1);
  for (size_t g = 0; g < side.met.size(); ++g) {
    const uint64_t met = side.met[g];
    if ((met & newest) != 0) continue;
    alive[g] =
        std::any_of(other.met.begin(), other.met.end(), [&](uint64_t own) { return (met | own) == all; }) ? 1 : 0;
  }
}

}  // namespace

// Groups without a partner go no further. Nobody's column drops rows, so that all groups are looked at anew.
void TreeWalk::prune(Sides& sides, uint64_t all, int slot) {
  const uint64_t newest = slot < 0 ? 0 : uint64_t{1} << slot;
  mark_partners(sides.x, sides.b, newest, all, alive_x_);
  mark_partners(sides.b, sides.x, newest, all, alive_b_);
  drop(sides.x, alive_x_);
  drop(sides.b, alive_b_);
}

namespace {

std::vector<int> players_of(uint64_t bits, std::span<const int32_t> path) {
  std::vector<int> players;
  for (; bits != 0; bits &= bits - 1) players.push_back(path[static_cast<size_t>(std::countr_zero(bits))]);
  std::sort(players.begin(), players.end());
  return players;
}

constexpr size_t kMergeFrom = size_t{1} << 20;  // games, which may be fewer when equal ones are one

void merge_equal(std::vector<LeafGame>& games) {
  std::stable_sort(games.begin(), games.end(), [](const LeafGame& a, const LeafGame& b) {
    return std::tie(a.inside, a.outside) < std::tie(b.inside, b.outside);
  });
  size_t kept = 0;
  for (size_t i = 0; i < games.size(); ++i) {
    if (kept > 0 && games[kept - 1].inside == games[i].inside && games[kept - 1].outside == games[i].outside) {
      games[kept - 1].weight += games[i].weight;
    } else {
      if (kept != i) games[kept] = std::move(games[i]);
      ++kept;
    }
  }
  games.resize(kept);
}

}  // namespace

std::vector<LeafGame> leaf_games(const TreeGame& game, int64_t row,
                                 const std::vector<std::vector<double>>& leaf_value) {
  std::vector<LeafGame> games;
  size_t most = kMergeFrom;
  for (size_t p = 0; p < game.parts.size(); ++p) {
    TreeWalk walk(game.parts[p], game.rows, game.baselines);
    for (const int32_t root : game.parts[p].trees->roots) {
      walk.tree(root, row, row + 1, [&](const ReachedLeaf& leaf) {
        const double value = leaf_value[p][static_cast<size_t>(leaf.leaf)] / static_cast<double>(game.baselines);
        if (value == 0) return;
        const uint64_t all = leaf.all(), outside = all & ~leaf.x.met[0];
        for (size_t h = 0; h < leaf.b.met.size(); ++h) {
          if ((leaf.x.met[0] | leaf.b.met[h]) != all) continue;
          games.push_back({players_of(all & ~leaf.b.met[h], leaf.players), players_of(outside, leaf.players),
                           value * leaf.b.size[h]});
        }
      });
      if (games.size() > most) {
        merge_equal(games);
        most = std::max(kMergeFrom, 2 * games.size());
      }
    }
  }
  merge_equal(games);
  return games;
}

}  // namespace ascribe::core
