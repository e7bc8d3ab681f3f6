// The game behind an explanation: v(S) = f(x with the players outside of S at the baseline), f one element
// of a model's output; with several baselines, the mean.
#pragma once

#include <memory>

#include "game/game.h"
#include "game/players.h"
#include "runtime/session.h"

namespace ascribe {

struct MaskedModel {
  Graph graph;                // output 0: one number per row (passes/select_element.h)
  std::vector<Tensor> point;  // one tensor per input, of one row
  size_t input = 0;           // which of them is masked
  Tensor baselines;           // rows of that input
  Players players;
  SessionOptions options;
};

// Masked rows are put together batch by batch as the memory budget of the options allows.
Game masked_model_game(MaskedModel question);

}  // namespace ascribe
