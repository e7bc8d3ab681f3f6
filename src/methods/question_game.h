// The game of a question: v(S) = the explained number of x with the players outside of S at the baseline, the mean
// over several baselines. It runs on the model's shared sessions.
//
// Where x enters the network through a linear layer that is not wider than x, masked rows are sums behind the layer
// (game/masked_model.h); where it enters through local layers and a linear one, players that never meet are masked
// together (game/local_masks.h). Part of the first batch is also computed the plain way; if the two differ by more than
// rounding, the model is masked the plain way from then on, and a note says so.
#pragma once

#include "game/game.h"
#include "methods/explained_model.h"

namespace ascribe::core {

// The model must outlive the game.
Game question_game(ExplainedModel& model, const Question& question);

// The same, always by masking the input.
Game plain_question_game(ExplainedModel& model, const Question& question);

// What there is to say about how the model was masked since it was last asked for; empty if all went well.
std::vector<std::string> masking_notes(ExplainedModel& model);

// Rows of the network for each coalition.
inline int64_t rows_of(const Game& game, const Question& question) {
  return game.evaluations() * question.baseline_count();
}

}  // namespace ascribe::core
