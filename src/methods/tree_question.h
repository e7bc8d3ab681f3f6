// Questions about trees. Where the explained number is affine in the outputs of trees, and every column that they
// compare belongs to one player, the game of the question is a sum of simple games, one for each leaf that mixtures of
// x and a baseline reach (game/trees/leaf_games.h), and what is asked of it is exact for any number of players.
#pragma once

#include <optional>
#include <span>

#include "game/trees/leaf_games.h"
#include "methods/attribution.h"
#include "methods/explained_model.h"

namespace ascribe::core {

bool has_trees(const Graph& graph);

struct QuestionTrees {
  std::vector<LeafGame> games;
  double output = 0, baseline_output = 0;
};

// The leaf games of a question; nothing where they do not say everything.
std::optional<QuestionTrees> trees_of_question(ExplainedModel& model, const Question& question);

// Shapley values of all questions; nothing where one of them is not a sum of leaf games.
std::optional<std::vector<Attribution>> tree_attributions(ExplainedModel& model, std::span<const Question> questions,
                                                          const Progress& progress);

// Why a model with trees had to be masked all the same; empty for models without.
std::vector<std::string> masked_trees_notes(const ExplainedModel& model);

}  // namespace ascribe::core
