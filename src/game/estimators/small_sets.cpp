#include "game/estimators/small_sets.h"

#include "base/error.h"

namespace ascribe::core {

Effects small_effects(int64_t players, const std::vector<double>& values, double empty, double full,
                      int64_t evaluations) {
  Effects result;
  result.players = players;
  result.order = 2;
  result.output = full;
  result.baseline_output = empty;
  result.evaluations = evaluations;
  size_t at = 0;
  const auto count = static_cast<int>(players);
  for (int a = 0; a < count; ++a) result.effects.push_back({{a}, {}, values[at++]});
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) result.effects.push_back({{a, b}, {}, values[at++]});
  }
  result.remainder = result.change();
  for (const double value : values) result.remainder -= value;
  return result;
}

void check_budget(const Game& game, int64_t budget, int64_t needed, const char* what) {
  if (game.players() < 2) {
    fail(ErrorKind::argument, "players", "pairs need two players; got {}", game.players());
  }
  if (budget < needed) {
    fail(ErrorKind::argument, "samples", "too few evaluations for {} of {} players; got {}; expected at least {}", what,
         game.players(), budget, needed);
  }
}

Estimate estimate_index(const std::string& index, Game& game, const EstimateRequest& request) {
  if (index == "sii") return estimate_sii(game, request);
  if (index == "stii") return estimate_stii(game, request);
  if (index == "fsii") return estimate_fsii(game, request);
  fail(ErrorKind::argument, "index",
       "this index cannot be estimated, only computed from all coalitions; got {}; expected sii, stii or fsii", index);
}

}  // namespace ascribe::core
