// Feature ablation by groups: what one group of elements does, taken away from x or put into the baseline.
//   remove  a_p = v(N) - v(N without p), the same number as occlusion with these players
//   insert  a_p = v({p}) - v(nobody), the player's independent effect
//   mean    half of each: exact Shapley values for games without interactions of three or more players
// Source: leave-one-out and put-one-in studies; "remove" is the FeatureAblation of Captum.
#include "methods/game_graph.h"

namespace ascribe::core::method_feature_ablation {
namespace {

// v({p}) - v(nobody) for each player, behind everyone.
CoalitionPlan put_one_in(int64_t players) {
  CoalitionPlan plan{Coalitions(players), players, {}};
  const std::vector<uint64_t> all = everyone(players);
  plan.sets.add(std::span<const uint64_t>(all));
  plan.sets.add(std::span<const int64_t>());
  for (int64_t p = 0; p < players; ++p) {
    plan.sets.add(std::span<const int64_t>(&p, 1));
    plan.terms.push_back({p, p + 2, 1});
    plan.terms.push_back({p, 1, -1});
  }
  return plan;
}

CoalitionPlan mean_of(CoalitionPlan first, const CoalitionPlan& second) {
  const int64_t offset = first.sets.size();
  for (int64_t s = 0; s < second.sets.size(); ++s) first.sets.add(second.sets.words(s));
  for (const auto& term : second.terms) first.terms.push_back({term.value, term.set + offset, term.weight});
  for (auto& term : first.terms) term.weight /= 2;
  return first;
}

CoalitionPlan plan_of(int64_t players, const Parameters& parameters) {
  const std::string& mode = parameters.text("mode");
  if (mode == "remove") return leave_one_out(players);
  if (mode == "insert") return put_one_in(players);
  return mean_of(leave_one_out(players), put_one_in(players));
}

std::vector<Value> graph(const AttributionRequest& r) {
  const Players players = players_of(r);
  return append_plan(r, players, plan_of(players.count(), r.parameters));
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  return attributions_of_plans(model, questions, run,
                               [&](int64_t players) { return plan_of(players, run.parameters); });
}

const RegisterMethod feature_ablation(
    {.name = "feature_ablation",
     .title = "Feature ablation",
     .formula = "a_p = v(N) - v(N without p), or v({p}) - v(nobody), or the mean of both",
     .source = "Kokhlikyan et al. 2020 (Captum)",
     .about = "One group of elements at a time is taken away from the input (remove), put into the baseline (insert), "
              "or both (mean). With mode remove it is occlusion under the name that other tools use; the other modes "
              "show what a group does alone.",
     .cost = "one forward pass for every player and baseline, twice that for mode mean",
     .use = "With named groups of features. Where remove and insert differ much, players interact.",
     .limits = "Remove counts an interaction once for every player in it, insert not at all. The values do not sum to "
               "the change.",
     .baselines = true,
     .players = true,
     .game = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = {text_parameter("mode", "remove", "what is done with a group", {"remove", "insert", "mean"})},
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_feature_ablation
