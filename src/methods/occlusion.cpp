// Occlusion-1: a_p = v(N) - v(N without p) = f(x) - f(x with the elements of p at the baseline), player by player.
// Source: Zeiler, Fergus, "Visualizing and Understanding Convolutional Networks" (2014), with single features.
#include "methods/game_graph.h"

namespace ascribe::core::method_occlusion {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  const Players players = players_of(r);
  return append_plan(r, players, leave_one_out(players.count()));
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  return attributions_of_plans(model, questions, run, leave_one_out);
}

const RegisterMethod occlusion(
    {.name = "occlusion",
     .title = "Occlusion-1",
     .number = 2,
     .formula = "a_p = f(x) - f(x with the elements of p at b)",
     .source = "Zeiler, Fergus 2014",
     .about = "What is lost when one player alone is replaced by the baseline: all effects that the player takes part "
              "in, whether alone or together with others. Several baselines are averaged.",
     .cost = "one forward pass, and one for every player and baseline",
     .use = "To ask what the answer hangs on. With few players it is quick, and it needs no gradient.",
     .limits = "Effects of several players are counted once for each of them, so the values do not sum to the change: "
               "two players that could replace each other both get nothing.",
     .baselines = true,
     .players = true,
     .game = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_occlusion
