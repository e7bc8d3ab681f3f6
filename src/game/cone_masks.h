// Masked rows that differ from a known row in a box only, run by the cone of influence (model/cone_runner.h). A
// coalition is known to be near x (few players are absent), near the baseline (few are present), or near the coalition
// asked before it: orders of players, in which one more comes at a time, are walked step by step, many of them at once.
// Each coalition goes the cheapest way; those that are near nothing are asked of the plain game.
#pragma once

#include "game/masked_model.h"
#include "model/cone_runner.h"

namespace ascribe::core {

struct ConeQuestion {
  std::shared_ptr<ConeRunner> runner;
  std::vector<Tensor> point;  // one tensor per input of the model, of one row
  int64_t target = 0;         // which number of a row of its output
  // Scalar operations of a whole row from which on a coalition may follow another: what is known of it has to be kept
  // and written, step by step, which small networks do not pay for.
  double least_to_follow = 1e8;
};

// How many coalitions went through the cone, for those who want to know.
using ConeCount = std::shared_ptr<int64_t>;

Game masked_cone_game(const MaskedInput& input, ConeQuestion question, std::shared_ptr<Game> plain,
                      ConeCount count = nullptr);

}  // namespace ascribe::core
