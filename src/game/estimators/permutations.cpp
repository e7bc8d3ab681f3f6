// SII and STII of order 2 from permutations of the players (Castro, Gomez, Tejada 2009; Grabisch, Roubens 1999;
// Sundararajan, Dhamdhere, Agarwal 2020): means of the discrete derivative v(T+i+j) - v(T+i) - v(T+j) + v(T), with T
//   SII   who comes before i and j, where they are neighbours
//   STII  who comes before the first of i and j
// A sample is a round of permutations, each with its reverse, which makes single players exact for games of order 2.
#include <algorithm>
#include <functional>

#include "base/random.h"
#include "game/estimators/small_sets.h"

namespace ascribe::core {

namespace {

using Order = std::vector<int64_t>;

constexpr int64_t kBatch = 1 << 15;  // coalitions that are asked for at once

// One way to make samples: which coalitions a round asks for, and what it makes of their values.
struct Scheme {
  int64_t per_round = 0;
  std::function<void(int64_t round, Coalitions& batch)> ask;
  std::function<void(int64_t round, const double* values, std::vector<double>& sample)> read;
};

Moments run_rounds(Game& game, const Scheme& scheme, int64_t rounds, const Progress& progress) {
  const SmallSets sets(game.players());
  Moments moments(sets.size());
  const int64_t at_once = std::max<int64_t>(1, kBatch / std::max<int64_t>(1, scheme.per_round));
  for (int64_t first = 0; first < rounds; first += at_once) {
    const int64_t count = std::min(at_once, rounds - first);
    Coalitions batch(game.players());
    for (int64_t i = 0; i < count; ++i) scheme.ask(first + i, batch);
    const std::vector<double> values = batch.size() == 0 ? std::vector<double>() : game.values(batch);
    for (int64_t i = 0; i < count; ++i) {
      std::vector<double> sample(static_cast<size_t>(sets.size()));
      scheme.read(first + i, values.data() + i * scheme.per_round, sample);
      moments.add(sample);
    }
    report(progress, "permutations", first + count, rounds);
  }
  return moments;
}

// ---- SII ----

// Orders in which every two players are neighbours equally often: the zigzag 0, 1, -1, 2, -2, ... (mod n) and its
// rotations (Walecki), of players in random places; then the same backwards.
std::vector<Order> orders_of_round(const Random& random, int64_t round, int64_t n) {
  const Order places = random.permutation(static_cast<uint64_t>(round), n);
  std::vector<Order> orders;
  for (int64_t rotation = 0; rotation < (n % 2 == 0 ? n / 2 : n); ++rotation) {
    Order order;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t zigzag = k % 2 == 1 ? (k + 1) / 2 : n - k / 2;
      order.push_back(places[static_cast<size_t>((rotation + zigzag) % n)]);
    }
    orders.push_back(order);
    orders.emplace_back(order.rbegin(), order.rend());
  }
  return orders;
}

// What one order asks for: its prefixes, and the prefixes with the next player left out.
void ask_order(const Order& order, Coalitions& batch) {
  const auto n = static_cast<int64_t>(order.size());
  GrowingSet prefix(n);
  for (int64_t k = 0; k + 1 < n; ++k) {
    prefix.add_with(order[static_cast<size_t>(k)], batch);
    prefix.add_with(order[static_cast<size_t>(k) + 1], batch);
    prefix.toggle(order[static_cast<size_t>(k)]);
  }
}

// The pairs of neighbours. Single players: their contributions in this order and, with weight 1/3 each, in those with
// two neighbours exchanged, which cost nothing more. At each place all weights sum to one, so no place is preferred.
void read_order(const Order& order, const double* values, double empty, double full, const SmallSets& sets,
                std::vector<double>& sum) {
  const size_t n = order.size();
  const auto prefix = [&](size_t k) { return k == 0 ? empty : k == n ? full : values[2 * (k - 1)]; };
  for (size_t k = 0; k < n; ++k) sum[static_cast<size_t>(order[k])] += prefix(k + 1) - prefix(k);
  for (size_t k = 0; k + 1 < n; ++k) {
    const double exchanged = values[2 * k + 1];
    const double interaction = prefix(k + 2) - prefix(k + 1) - exchanged + prefix(k);
    sum[static_cast<size_t>(sets.pair(order[k], order[k + 1]))] += interaction;
    sum[static_cast<size_t>(order[k])] += interaction / 3;  // later by one place
    sum[static_cast<size_t>(order[k + 1])] -= interaction / 3;
  }
}

}  // namespace

Estimate estimate_sii(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players(), before = game.evaluations();
  const int64_t per_order = 2 * (n - 1), orders = n % 2 == 0 ? n : 2 * n;
  check_budget(game, request.budget, 2 + 2 * orders * per_order, "two rounds of permutations");
  const SmallSets sets(n);
  const Random random(request.seed);
  const double empty = game.empty_value(), full = game.full_value();
  Scheme scheme;
  scheme.per_round = orders * per_order;
  scheme.ask = [&](int64_t round, Coalitions& batch) {
    for (const Order& order : orders_of_round(random, round, n)) ask_order(order, batch);
  };
  const double meetings = n % 2 == 0 ? 2 : 4;  // of each pair in a round
  scheme.read = [&](int64_t round, const double* values, std::vector<double>& sample) {
    for (const Order& order : orders_of_round(random, round, n)) {
      read_order(order, values, empty, full, sets, sample);
      values += per_order;
    }
    for (int64_t i = 0; i < sets.size(); ++i) {
      sample[static_cast<size_t>(i)] /= i < n ? static_cast<double>(orders) : meetings;
    }
  };
  const Moments moments = run_rounds(game, scheme, (request.budget - 2) / scheme.per_round, request.progress);
  return {small_effects(n, moments.mean(), empty, full, game.evaluations() - before), moments.standard_errors(),
          moments.count(), static_cast<double>(moments.count() - 1)};
}

// ---- STII ----

namespace {

// Everyone who comes after a prefix, added to it; prefixes of 1 .. n - 2 players.
void ask_followers(const Order& order, Coalitions& batch) {
  GrowingSet prefix(static_cast<int64_t>(order.size()));
  for (size_t k = 1; k + 1 < order.size(); ++k) {
    prefix.toggle(order[k - 1]);
    for (size_t j = k; j < order.size(); ++j) prefix.add_with(order[j], batch);
  }
}

// with(k, j): the value of the first k players of the order and number j.
template <class F>
void read_pairs(const Order& order, double empty, F&& with, const SmallSets& sets, std::vector<double>& sum) {
  for (size_t a = 0; a < order.size(); ++a) {
    const double before = a == 0 ? empty : with(a - 1, a - 1);
    for (size_t b = a + 1; b < order.size(); ++b) {
      sum[static_cast<size_t>(sets.pair(order[a], order[b]))] += with(a + 1, b) - with(a, a) - with(a, b) + before;
    }
  }
}

Coalitions single_players(int64_t n) {
  Coalitions singles(n);
  for (int64_t p = 0; p < n; ++p) singles.add(std::span<const int64_t>(&p, 1));
  return singles;
}

}  // namespace

Estimate estimate_stii(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players(), before = game.evaluations();
  const int64_t per_order = n * (n - 1) / 2 - 1;
  check_budget(game, request.budget, 2 + n + 4 * per_order, "two permutations and their reverses");
  const SmallSets sets(n);
  const Random random(request.seed);
  const double empty = game.empty_value(), full = game.full_value();
  const std::vector<double> singles = game.values(single_players(n));
  Scheme scheme;
  scheme.per_round = 2 * per_order;
  scheme.ask = [&](int64_t round, Coalitions& batch) {
    Order order = random.permutation(static_cast<uint64_t>(round), n);
    ask_followers(order, batch);
    std::reverse(order.begin(), order.end());
    ask_followers(order, batch);
  };
  scheme.read = [&](int64_t round, const double* values, std::vector<double>& sample) {
    Order order = random.permutation(static_cast<uint64_t>(round), n);
    for (int way = 0; way < 2; ++way) {
      const auto with = [&](size_t k, size_t j) {
        if (k == 0) return singles[static_cast<size_t>(order[j])];
        if (static_cast<int64_t>(k) + 1 == n) return full;
        return values[(k - 1) * (2 * order.size() - k) / 2 + j - k];
      };
      read_pairs(order, empty, with, sets, sample);
      values += per_order;
      std::reverse(order.begin(), order.end());
    }
    for (double& value : sample) value /= 2;
    for (int64_t p = 0; p < n; ++p) sample[static_cast<size_t>(p)] = singles[static_cast<size_t>(p)] - empty;
  };
  // Of two players everything is known already.
  const int64_t rounds = n == 2 ? 2 : (request.budget - 2 - n) / scheme.per_round;
  const Moments moments = run_rounds(game, scheme, rounds, request.progress);
  return {small_effects(n, moments.mean(), empty, full, game.evaluations() - before), moments.standard_errors(),
          moments.count(), static_cast<double>(moments.count() - 1)};
}

}  // namespace ascribe::core
