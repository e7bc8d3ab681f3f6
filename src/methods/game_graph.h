// Methods that are linear in the game v(S), two ways: the coalitions are asked of the question's game, or written into
// a graph as masks, with rows for every row times every coalition. Both read the same CoalitionPlan.
#pragma once

#include "game/coalition_plan.h"
#include "methods/method.h"

namespace ascribe::core {

// Appends a = M v: the value of each of `players`, shown at all of its elements; 0 where nobody owns the element. The
// plan's sets and values are those of the players. With several baselines the frame averages.
std::vector<Value> append_plan(const AttributionRequest& request, const Players& players, const CoalitionPlan& plan);

// The players of a request; if it has none, every element is one. Refuses a model of several real inputs.
Players players_of(const AttributionRequest& request);

// a = M v for one question.
Attribution attribution_of_plan(ExplainedModel& model, const Question& question, const CoalitionPlan& plan,
                                const MethodRun& run);

// One plan for each question, from the number of its players.
template <class MakePlan>
std::vector<Attribution> attributions_of_plans(ExplainedModel& model, std::span<const Question> questions,
                                               const MethodRun& run, MakePlan&& make_plan) {
  std::vector<Attribution> answers;
  for (const Question& question : questions) {
    answers.push_back(attribution_of_plan(model, question, make_plan(question.players.count()), run));
  }
  return answers;
}

}  // namespace ascribe::core
