// The dividends themselves, and their sums over all supersets (external dividends):
//   moebius(S) = a(S),   co_moebius(S) = sum over T containing S of a(T).
// Neither weighs by size, so the second is a zeta transform over complements: m 2^m steps for all sets.
#include <algorithm>

#include "game/interaction_index.h"
#include "game/moebius.h"
#include "game/subsets.h"

namespace ascribe::core::index_moebius {

namespace {

Effects pick(const Dividends& dividends, int order, const std::vector<double>& from) {
  const std::vector<uint64_t> sets = sets_up_to(dividends.players, order);
  std::vector<double> values;
  values.reserve(sets.size());
  for (const uint64_t set : sets) values.push_back(from[set]);
  return effects_of_sets(dividends, order, sets, values);
}

Effects moebius(const Dividends& dividends, int order) { return pick(dividends, order, dividends.values); }

Effects co_moebius(const Dividends& dividends, int order) {
  std::vector<double> sums(dividends.values.rbegin(), dividends.values.rend());  // by complement
  zeta_transform(sums);
  std::reverse(sums.begin(), sums.end());
  return pick(dividends, order, sums);
}

double same_set(int s, int t, int) { return s == t ? 1 : 0; }
double any_set(int, int, int) { return 1; }

const RegisterIndex kMoebius({.name = "moebius",
                              .title = "Dividends (Moebius transform)",
                              .formula = "a(S); complete when k is the number of players",
                              .source = "Harsanyi 1963, Rota 1964",
                              .influence = Influence::pure,
                              .superset_weight = same_set,
                              .compute = moebius});

const RegisterIndex kCoMoebius({.name = "co_moebius",
                                .title = "External dividends (co-Moebius transform)",
                                .formula = "sum over T containing S of a(T)",
                                .source = "Grabisch, Marichal, Roubens 2000",
                                .influence = Influence::full,
                                .superset_weight = any_set,
                                .compute = co_moebius});

}  // namespace

}  // namespace ascribe::core::index_moebius
