// The chaining interaction index: CHII(S) = sum over T containing S of |S| / |T| a(T).
#include "game/interaction_index.h"

namespace ascribe::core::index_chaining {

namespace {

double chii(int s, int t, int) { return static_cast<double>(s) / t; }

const RegisterIndex kChii({.name = "chii",
                           .title = "Chaining interaction index",
                           .formula = "sum over T containing S of |S| / |T| a(T)",
                           .source = "Marichal, Roubens 1999",
                           .superset_weight = chii});

}  // namespace

}  // namespace ascribe::core::index_chaining
