#include "game/effects.h"

#include <cmath>
#include <functional>

#include "base/error.h"
#include "game/effect_stream.h"
#include "game/moebius.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

void for_each_subset_of_size(int64_t players, int size, const std::function<void(const std::vector<int64_t>&)>& f) {
  std::vector<int64_t> chosen(static_cast<size_t>(size));
  const std::function<void(int64_t, int64_t)> choose = [&](int64_t position, int64_t from) {
    if (position == size) {
      f(chosen);
      return;
    }
    for (int64_t p = from; p <= players - (size - position); ++p) {
      chosen[static_cast<size_t>(position)] = p;
      choose(position + 1, p + 1);
    }
  };
  choose(0, 0);
}

double count_up_to(int64_t players, int order) {
  double sum = 0, term = 1;
  for (int k = 0; k <= order; ++k) {
    sum += term;
    term *= static_cast<double>(players - k) / (k + 1);
  }
  return sum;
}

// The dividends of all proper subsets of `set`, summed; each is the number at its rank in `values`.
class Ranks {
 public:
  Ranks(int64_t players, int order) : players_(players) {
    int64_t offset = 0;
    for (int k = 0; k <= order; ++k) {
      offsets_.push_back(offset);
      offset += static_cast<int64_t>(std::llround(binomial(static_cast<int>(players), k)));
    }
  }
  // The place of an ascending set among all sets, by size and then as for_each_subset_of_size lists them.
  int64_t of(const std::vector<int64_t>& set) const {
    const auto size = static_cast<int>(set.size());
    double rank = 0;
    int64_t from = 0;
    for (int i = 0; i < size; ++i) {
      for (int64_t p = from; p < set[static_cast<size_t>(i)]; ++p)
        rank += binomial(static_cast<int>(players_ - p - 1), size - i - 1);
      from = set[static_cast<size_t>(i)] + 1;
    }
    return offsets_[static_cast<size_t>(size)] + std::llround(rank);
  }

 private:
  int64_t players_;
  std::vector<int64_t> offsets_;
};

}  // namespace

ExactCost cost_of_exact(int64_t players) {
  const double sets = std::ldexp(1.0, static_cast<int>(std::min<int64_t>(players, 1000)));
  return {sets, 2 * sets * sizeof(double)};
}

Dividends exact_dividends(Game& game, size_t memory, bool force, const Progress& progress) {
  const int64_t players = game.players();
  const ExactCost cost = cost_of_exact(players);
  if (players > 40 || (players > kMostExactPlayers && !force)) {
    fail(ErrorKind::argument, "players",
         "{} players have {:.3g} coalitions, too many to evaluate them all; got {}; expected at most {}, or an order "
         "at which to stop",
         players, cost.evaluations, players, kMostExactPlayers);
  }
  if (cost.bytes > static_cast<double>(memory)) {
    fail(ErrorKind::argument, "memory", "the values of {} players take {:.3g} GiB; got a budget of {:.3g} GiB", players,
         cost.bytes / (1 << 30), static_cast<double>(memory) / (1 << 30));
  }
  const int64_t before = game.evaluations();
  Dividends result;
  result.players = static_cast<int>(players);
  result.values = game.all_values(progress);
  const double output = result.values.back();
  moebius_transform(result.values);
  result.residual = output - total_of_dividends(result.values);
  result.evaluations = game.evaluations() - before;
  return result;
}

Effects truncated_effects(Game& game, int order, int64_t most, const Progress& progress) {
  const int64_t players = game.players();
  order = static_cast<int>(std::min<int64_t>(order, players));
  if (const double count = count_up_to(players, order) + 1; order < 1 || count > static_cast<double>(most)) {
    fail(ErrorKind::argument, "order", "effects of up to {} of {} players take {:.4g} evaluations; expected at most {}",
         order, players, count, most);
  }
  Coalitions sets(players);
  for (int k = 0; k <= order; ++k) {
    for_each_subset_of_size(players, k, [&](const std::vector<int64_t>& set) { sets.add(set); });
  }
  const int64_t before = game.evaluations();
  std::vector<double> values = game.values(sets, progress);

  Effects result;
  result.players = players;
  result.order = order;
  result.baseline_output = values[0];
  result.output = game.full_value();
  result.evaluations = game.evaluations() - before;
  // H(S) = v(S) - sum of H(T) over the proper subsets T, which come earlier.
  const Ranks ranks(players, order);
  double sum = 0;
  int64_t at = 1;
  for (int k = 1; k <= order; ++k) {
    for_each_subset_of_size(players, k, [&](const std::vector<int64_t>& set) {
      double dividend = values[static_cast<size_t>(at)];
      for (uint64_t part = 0; part + 1 < uint64_t{1} << k; ++part) {
        std::vector<int64_t> subset;
        for (const int i : members_of(part)) subset.push_back(set[static_cast<size_t>(i)]);
        dividend -= values[static_cast<size_t>(ranks.of(subset))];
      }
      values[static_cast<size_t>(at++)] = dividend;
      sum += dividend;
      result.effects.push_back({{set.begin(), set.end()}, {}, dividend});
    });
  }
  result.remainder = result.change() - sum;
  return result;
}

Effects as_effects(const Dividends& dividends) {
  Effects result;
  result.players = result.order = dividends.players;
  result.baseline_output = dividends.values[0];
  double sum = 0;
  for (uint64_t set = 1; set < dividends.values.size(); ++set) {
    result.effects.push_back({members_of(set), {}, dividends.values[set]});
    sum += dividends.values[set];
  }
  result.output = dividends.values[0] + sum + dividends.residual;
  result.remainder = dividends.residual;
  result.evaluations = dividends.evaluations;
  return result;
}

std::vector<OrderShare> shares_by_order(const Effects& effects) {
  std::vector<OrderShare> shares;
  for (const Effect& effect : effects.effects) {
    const size_t size = effect.support.size();
    while (shares.size() < size) shares.push_back({static_cast<int>(shares.size()) + 1, 0, 0, 0});
    OrderShare& share = shares[size - 1];
    ++share.count;
    share.sum += effect.value;
    share.absolute += std::abs(effect.value);
  }
  return shares;
}

}  // namespace ascribe::core
