// The Banzhaf interaction index: BII(S) = sum over T containing S of a(T) / 2^(|T| - |S|).
#include <cmath>

#include "game/interaction_index.h"

namespace ascribe::core::index_banzhaf_interaction {

namespace {

double bii(int s, int t, int) { return std::ldexp(1.0, s - t); }

const RegisterIndex kBii({.name = "bii",
                          .title = "Banzhaf interaction index",
                          .formula = "sum over T containing S of a(T) / 2^(|T| - |S|)",
                          .source = "Grabisch, Roubens 1999",
                          .superset_weight = bii});

}  // namespace

}  // namespace ascribe::core::index_banzhaf_interaction
