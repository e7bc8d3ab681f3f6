#include "game/interaction_index.h"

#include <algorithm>
#include <bit>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/error.h"
#include "base/parallel.h"
#include "game/moebius.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

// weight(|T|) table[T] for all sets T of players.
template <class F>
std::vector<double> weighted(const std::vector<double>& table, int players, F&& weight) {
  constexpr int kLow = 12;  // bits whose members are counted once for all blocks
  std::vector<double> weights;
  for (int t = 0; t <= players; ++t) weights.push_back(weight(t));
  const int64_t block = int64_t{1} << std::min(players, kLow);
  std::vector<uint8_t> members(static_cast<size_t>(block));
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<uint8_t>(std::popcount(i));
  std::vector<double> result(table.size());
  parallel_for(static_cast<int64_t>(table.size()) / block, 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const double* w = weights.data() + std::popcount(static_cast<uint64_t>(b));
      for (int64_t i = 0; i < block; ++i) result[b * block + i] = w[members[i]] * table[b * block + i];
    }
  });
  return result;
}

// sums_of(s): the values of all sets of s players, in order.
template <class F>
Effects for_sizes(const Dividends& dividends, int order, F&& sums_of) {
  std::vector<double> values;
  for (int s = 1; s <= order; ++s) {
    const std::vector<double> of_size = sums_of(s);
    values.insert(values.end(), of_size.begin(), of_size.end());
  }
  return effects_of_sets(dividends, order, sets_up_to(dividends.players, order), values);
}

}  // namespace

const InteractionIndex& index_named(const std::string& name) {
  if (const InteractionIndex* index = IndexRegistry::instance().find(name)) return *index;
  std::vector<std::string> names;
  for (const auto& entry : IndexRegistry::instance().entries()) names.push_back(entry.first);
  fail(ErrorKind::argument, "index", "there is no such interaction index; got {}; {}", name,
       expected_one_of(name, names));
}

std::string_view to_string(Influence influence) {
  switch (influence) {
    case Influence::pure: return "pure";
    case Influence::partial: return "partial";
    case Influence::full: return "full";
  }
  return "";
}

const InteractionIndex& index_of_influence(std::string_view text) {
  static const std::vector<std::pair<std::string, std::string>> table = {
      {"pure", "moebius"},   {"partial", "sii"},       {"full", "co_moebius"},
      {"joint:pure", "igv"}, {"joint:partial", "sgv"}, {"joint:full", "egv"}};
  std::vector<std::string> names;
  for (const auto& [name, index] : table) {
    if (name == text) return index_named(index);
    names.push_back(name);
  }
  fail(ErrorKind::argument, "influence", "got '{}'; {}", text, expected_one_of(text, names));
}

Effects compute_index(const InteractionIndex& index, const Dividends& dividends, int order) {
  if (order < index.least_order || order > index.most_order) {
    fail(ErrorKind::argument, "order", "{} has no such order; got {}; expected {} to {}", index.name, order,
         index.least_order, index.most_order);
  }
  order = std::min(order, dividends.players);
  if (index.compute != nullptr) return index.compute(dividends, order);
  return superset_sums(dividends, order, index.superset_weight);
}

Effects superset_sums(const Dividends& dividends, int order, double (*weight)(int s, int t, int order)) {
  const int players = dividends.players;
  return for_sizes(dividends, order, [&](int s) {
    const auto of_size = [&](int t) { return t < s ? 0 : weight(s, t, order); };
    return superset_sums_of_size(weighted(dividends.values, players, of_size), players, s);
  });
}

// The sum of weight v(T and S) is one over the supersets of S, that of weight v(T) one over the complements of T.
Effects generalised_values(const Dividends& dividends, int order, double (*weight)(int s, int t, int n, int order)) {
  const int players = dividends.players;
  std::vector<double> values = dividends.values;
  zeta_transform(values);
  const std::vector<double> by_complement(values.rbegin(), values.rend());
  return for_sizes(dividends, order, [&](int s) {
    const auto joined = [&](int u) { return u < s ? 0 : weight(s, u - s, players, order); };
    const auto alone = [&](int c) { return c < s ? 0 : weight(s, players - c, players, order); };
    std::vector<double> sums = superset_sums_of_size(weighted(values, players, joined), players, s);
    const std::vector<double> others = superset_sums_of_size(weighted(by_complement, players, alone), players, s);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] -= others[i];
    return sums;
  });
}

Effects effects_of_sets(const Dividends& dividends, int order, const std::vector<uint64_t>& sets,
                        const std::vector<double>& values) {
  Effects result;
  result.players = dividends.players;
  result.order = order;
  result.baseline_output = dividends.values[0];
  result.output = dividends.residual;
  for (const double dividend : dividends.values) result.output += dividend;
  result.evaluations = dividends.evaluations;
  result.effects.reserve(sets.size());
  result.remainder = result.change();
  for (size_t i = 0; i < sets.size(); ++i) {
    result.effects.push_back({members_of(sets[i]), {}, values[i]});
    result.remainder -= values[i];
  }
  return result;
}

RegisterIndex::RegisterIndex(InteractionIndex index) {
  std::string name = index.name;
  require(!name.empty(), "indices", "an interaction index has no name");
  require(index.superset_weight != nullptr || index.compute != nullptr, name, "an index that cannot be computed");
  require(index.least_order >= 1 && index.most_order >= index.least_order, name, "an index without an order");
  IndexRegistry::instance().add(std::move(name), std::move(index));
}

}  // namespace ascribe::core
