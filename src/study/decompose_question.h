// What decompose asks of a model, ready to be asked: by one process (decompose.h) or by many (parts/game_part.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "game/masked_model.h"
#include "methods/tree_question.h"
#include "study/decompose.h"

namespace ascribe::core::study {

struct DecomposedQuestion {
  Subject subject;  // ready for the question
  RowQuestion question;
  MaskedModel masked;
  std::optional<QuestionTrees> trees;  // if its effects can be read off leaves
};

// `check_cost` is told the players before any work, and may refuse; of trees, once they are known.
DecomposedQuestion decomposed_question(const Subject& given, const DecomposeRequest& request, Running& running,
                                       std::vector<std::string>& notes,
                                       const std::function<void(const RowQuestion&)>& check_cost);

// The index of a request; nothing: it asks for none. Refuses one that there is not.
const InteractionIndex* index_of(const DecomposeRequest& request);
int index_order(const DecomposeRequest& request, const InteractionIndex& index);

// The parts of the JSON of a decomposition: what was asked, and what came out.
Json decomposed_json(const std::string& model, const RowQuestion& question);
Json effects_json(const EffectSummary& summary, bool exact);

SummaryOptions summary_options(DType precision, int64_t top);

}  // namespace ascribe::core::study
