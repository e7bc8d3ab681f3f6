// Generalised values: what a set S, taken as a unit, contributes to the others: a mean of v(T and S) - v(T) over T
// outside of S with the weights p(t), n players in all:
//   Shapley 1 / ((n-s+1) C(n-s, t)), Banzhaf 1 / 2^(n-s), chaining s / ((s+t) C(n, s+t)), internal T = {}, external
//   T = N without S.
// Source: Marichal, Kojadinovic, Fujimoto, Discrete Applied Mathematics 155 (2007). A set keeps its value when a
// player without effect joins it, so `dummy` does not hold.
#include <cmath>

#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core::index_generalised {

namespace {

Effects sgv(const Dividends& dividends, int order) {
  return generalised_values(dividends, order,
                            [](int s, int t, int n, int) { return 1 / ((n - s + 1) * binomial(n - s, t)); });
}

Effects bgv(const Dividends& dividends, int order) {
  return generalised_values(dividends, order, [](int s, int, int n, int) { return std::ldexp(1.0, s - n); });
}

Effects chgv(const Dividends& dividends, int order) {
  return generalised_values(dividends, order,
                            [](int s, int t, int n, int) { return s / ((s + t) * binomial(n, s + t)); });
}

Effects igv(const Dividends& dividends, int order) {
  return generalised_values(dividends, order, [](int, int t, int, int) { return t == 0 ? 1.0 : 0.0; });
}

Effects egv(const Dividends& dividends, int order) {
  return generalised_values(dividends, order, [](int s, int t, int n, int) { return t == n - s ? 1.0 : 0.0; });
}

const RegisterIndex kSgv({.name = "sgv",
                          .title = "Shapley generalised value",
                          .formula = "sum over T outside of S of (v(T + S) - v(T)) / ((n - s + 1) C(n - s, t))",
                          .source = "Marichal 2000",
                          .dummy = false,
                          .joint = true,
                          .compute = sgv});

const RegisterIndex kBgv({.name = "bgv",
                          .title = "Banzhaf generalised value",
                          .formula = "sum over T outside of S of (v(T + S) - v(T)) / 2^(n - s)",
                          .source = "Marichal 2000",
                          .dummy = false,
                          .joint = true,
                          .compute = bgv});

const RegisterIndex kChgv({.name = "chgv",
                           .title = "Chaining generalised value",
                           .formula = "sum over T outside of S of (v(T + S) - v(T)) s / ((s + t) C(n, s + t))",
                           .source = "Marichal, Kojadinovic, Fujimoto 2007",
                           .dummy = false,
                           .joint = true,
                           .compute = chgv});

const RegisterIndex kIgv({.name = "igv",
                          .title = "Internal generalised value",
                          .formula = "v(S) - v(0)",
                          .source = "Marichal, Kojadinovic, Fujimoto 2007",
                          .dummy = false,
                          .influence = Influence::pure,
                          .joint = true,
                          .compute = igv});

const RegisterIndex kEgv({.name = "egv",
                          .title = "External generalised value",
                          .formula = "v(N) - v(N without S)",
                          .source = "Marichal, Kojadinovic, Fujimoto 2007",
                          .dummy = false,
                          .influence = Influence::full,
                          .joint = true,
                          .compute = egv});

}  // namespace

}  // namespace ascribe::core::index_generalised
