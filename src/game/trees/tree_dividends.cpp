// [A in S, B outside of S] = sum over B' in B of (-1)^|B'| [A and B' in S]: its dividends are (-1)^|B'| at A and B'.
#include "game/trees/tree_dividends.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "game/subsets.h"
#include "game/trees/sparse_effects.h"

namespace ascribe::core {

namespace {

double count_of(const LeafGame& game, int order) {
  double count = 0;
  const auto b = static_cast<int>(game.outside.size());
  for (int k = 0; k <= std::min(b, order - static_cast<int>(game.inside.size())); ++k) count += binomial(b, k);
  return count;
}

int limit_of(int64_t players, int order) { return order > 0 ? order : static_cast<int>(players); }

// Adds (-1)^|B'| weight for every B' of at most `most` players, from `from` on.
void add_subsets(const LeafGame& game, size_t from, int most, double weight, std::vector<int>& set,
                 SparseEffects& effects) {
  effects.add(set, weight);
  if (most == 0) return;
  for (size_t i = from; i < game.outside.size(); ++i) {
    set.push_back(game.outside[i]);
    add_subsets(game, i + 1, most - 1, -weight, set, effects);
    set.pop_back();
  }
}

}  // namespace

double tree_dividend_count(const std::vector<LeafGame>& games, int64_t players, int order) {
  double count = 0;
  for (const LeafGame& game : games) count += count_of(game, limit_of(players, order));
  return count;
}

Effects tree_dividends(const std::vector<LeafGame>& games, int64_t players, int order, int64_t most, double output,
                       double baseline_output) {
  const int limit = limit_of(players, order);
  const double count = tree_dividend_count(games, players, order);
  if (count > static_cast<double>(most)) {
    fail(ErrorKind::argument, "order",
         "the trees have up to {:.3g} effects of up to {} players; expected at most {}, which a smaller `order` gives",
         count, limit, most);
  }
  SparseEffects effects;
  for (const LeafGame& game : games) {
    const int left = limit - static_cast<int>(game.inside.size());
    if (left < 0) continue;
    std::vector<int> set = game.inside;
    add_subsets(game, 0, left, game.weight, set, effects);
  }
  return effects.sorted(players, limit, output, baseline_output);
}

Dividends as_table(const Effects& effects) {
  require(effects.players <= kMostExactPlayers, "dividends", "too many players for a table");
  Dividends table;
  table.players = static_cast<int>(effects.players);
  table.values.assign(size_t{1} << effects.players, 0.0);
  table.values[0] = effects.baseline_output;
  for (const Effect& effect : effects.effects) {
    size_t set = 0;
    for (const int player : effect.support) set |= size_t{1} << player;
    table.values[set] = effect.value;
  }
  table.residual = effects.remainder;
  table.evaluations = effects.evaluations;
  return table;
}

}  // namespace ascribe::core
