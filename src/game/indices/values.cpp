// Values of single players:
//   Shapley  phi(i) = sum over T containing i of a(T) / |T|
//   Banzhaf  beta(i) = sum over T containing i of a(T) / 2^(|T| - 1)
#include <cmath>

#include "game/interaction_index.h"

namespace ascribe::core::index_values {

namespace {

double shapley(int, int t, int) { return 1.0 / t; }
double banzhaf(int, int t, int) { return std::ldexp(1.0, 1 - t); }

const RegisterIndex kShapley({.name = "shapley",
                              .title = "Shapley value",
                              .formula = "sum over T containing i of a(T) / |T|",
                              .source = "Shapley 1953",
                              .most_order = 1,
                              .efficient = true,
                              .superset_weight = shapley});

const RegisterIndex kBanzhaf({.name = "banzhaf",
                              .title = "Banzhaf value",
                              .formula = "sum over T containing i of a(T) / 2^(|T| - 1)",
                              .source = "Banzhaf 1964",
                              .most_order = 1,
                              .superset_weight = banzhaf});

}  // namespace

}  // namespace ascribe::core::index_values
