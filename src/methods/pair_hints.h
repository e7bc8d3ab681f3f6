// What derivatives and receptive fields tell about pairs of players before a game is asked (game/sparse):
//   candidates  pairs that bend f together. Smooth networks: d_p' H d_q, d_p what x - b is in player p, H the Hessian
//   on
//               the way from b to x. Networks with kinks, whose Hessian is 0: how the gradient towards q changes when p
//               goes, (g(x) - g(x without p)) d_q, at both ends.
//   never_meet  pairs that no place of a convolutional network sees together, where what follows adds the places up:
//               no effect has both of them, exactly.
#pragma once

#include "game/sparse/effect_estimator.h"
#include "methods/explained_model.h"

namespace ascribe::core {

struct PairHints {
  SparseHints hints;
  int64_t passes = 0;      // rows that went through the network, forwards and backwards
  int64_t never_meet = 0;  // pairs
  std::string candidates;  // where they come from: "the Hessian", "gradients with each player absent"; empty: none
};

// At most `most_passes`; what does not fit is left out. Nothing about players that depend on each other
// (game/absence.h), or of models without derivatives.
PairHints pair_hints(ExplainedModel& model, const Question& question, int64_t most_passes,
                     const Progress& progress = {});

// Which players no place sees together, [players, players]; nothing where the network is not a sum over places.
std::optional<std::vector<uint8_t>> players_that_never_meet(const ExplainedModel& model, const Question& question);

}  // namespace ascribe::core
