// KernelSHAP: the additive game a with sum of a_p = v(N) - v(0) that is closest to v under the Shapley kernel,
//   minimise sum over S of w(S) (v(S) - v(0) - sum over p in S of a_p)^2,   w(S) = (m-1) / (C(m,s) s (m-s)).
// Over all S its solution is the Shapley value. With more players, coalitions are drawn by the kernel, each with its
// complement, and the same problem is solved over the draws; standard errors come from the residuals.
// Source: Lundberg, Lee, "A Unified Approach to Interpreting Model Predictions" (2017); Covert, Lee 2021 (pairs).
#include <bit>
#include <cmath>

#include "game/estimators/least_squares.h"
#include "game/subsets.h"
#include "methods/game_graph.h"
#include "methods/question_game.h"
#include "methods/tree_question.h"

namespace ascribe::core::method_kernel_shap {
namespace {

constexpr int64_t kMostPlayers = 2000;  // the solution takes their third power

// The regression's rows; the coalitions are everyone, no one, and one for each row.
struct Regression {
  Coalitions sets;
  Design design;
  std::optional<Fit> fit;
  bool exact = false;
};

int64_t samples_of(int64_t m, const Parameters& parameters) {
  const int64_t samples = parameters.integer("samples");
  return samples > 0 ? samples : 2 * m + 2048;
}

void add_row(Regression& r, std::span<const int64_t> members, double weight) {
  r.sets.add(members);
  r.design.add({members.begin(), members.end()}, weight);
}

void add_all(Regression& r, int64_t m) {
  for (uint64_t set = 1; set + 1 < uint64_t{1} << m; ++set) {
    std::vector<int64_t> members;
    for (int64_t p = 0; p < m; ++p) {
      if ((set >> p & 1) != 0) members.push_back(p);
    }
    const auto s = std::ssize(members);
    const double sets_of_size = binomial(static_cast<int>(m), static_cast<int>(s));
    add_row(r, members, static_cast<double>(m - 1) / (sets_of_size * static_cast<double>(s * (m - s))));
  }
}

Regression regression(int64_t m, const Parameters& parameters, uint64_t seed) {
  const int64_t samples = samples_of(m, parameters);
  Regression r{Coalitions(m), {{}, {}, m}, {}, m < 40 && (int64_t{1} << m) - 2 <= samples};
  if (m > kMostPlayers) {
    fail(ErrorKind::argument, "kernel_shap", "a regression over {} players takes too long; expected at most {}", m,
         kMostPlayers);
  }
  const std::vector<uint64_t> all = everyone(m);
  r.sets.add(std::span<const uint64_t>(all));
  r.sets.add(std::span<const int64_t>());
  if (r.exact) add_all(r, m);
  else {
    for (const auto& members : draw_by_shapley_kernel(m, samples / 2, seed)) add_row(r, members, 1);
  }
  if (m == 1) r.fit = Fit{SymmetricMatrix(1), {1}};  // no rows: all of the change
  else if (r.exact || std::ssize(r.design.rows) > m) r.fit = fit_with_sum(r.design);
  if (!r.fit) {
    fail(ErrorKind::argument, "kernel_shap", "{} coalitions do not tell {} players apart; expected more samples",
         samples, m);
  }
  return r;
}

// a = along (v(N) - v(0)) + sum over rows of influence (v(S) - v(0)), as a plan.
CoalitionPlan plan_of(const Regression& r) {
  const int64_t m = r.sets.players();
  CoalitionPlan plan{r.sets, m, {}};
  std::vector<double> empty(r.fit->along);
  for (int64_t p = 0; p < m; ++p) plan.terms.push_back({p, 0, r.fit->along[static_cast<size_t>(p)]});
  for (size_t row = 0; row < r.design.rows.size(); ++row) {
    const std::vector<double> gains = r.fit->influence(r.design, row);
    for (int64_t p = 0; p < m; ++p) {
      plan.terms.push_back({p, static_cast<int64_t>(row) + 2, gains[static_cast<size_t>(p)]});
      empty[static_cast<size_t>(p)] += gains[static_cast<size_t>(p)];
    }
  }
  for (int64_t p = 0; p < m; ++p) plan.terms.push_back({p, 1, -empty[static_cast<size_t>(p)]});
  return plan;
}

std::vector<Value> graph(const AttributionRequest& request) {
  const Players players = players_of(request);
  return append_plan(request, players, plan_of(regression(players.count(), request.parameters, request.random_seed)));
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  // Over all coalitions it is the Shapley value.
  if (auto of_trees = tree_attributions(model, questions, run.progress)) return std::move(*of_trees);
  std::vector<Attribution> answers;
  std::optional<Regression> r;
  for (const Question& question : questions) {
    if (!r || r->sets.players() != question.players.count()) {
      r = regression(question.players.count(), run.parameters, run.seed);
    }
    Game game = question_game(model, question);
    const std::vector<double> v = game.values(r->sets, run.progress);
    std::vector<double> y(v.begin() + 2, v.end());
    for (double& value : y) value -= v[1];
    const std::vector<double> values = r->fit->solve(r->design, y, v[0] - v[1]);
    Attribution answer = attribution_of_players(question, values, v[0], v[1]);
    answer.exact = r->exact;
    if (!r->exact && !question.absence.conditional()) {
      answer.standard_errors = r->fit->standard_errors(r->design, y, values, 2, r->design.rows.size() / 2);
      answer.degrees_of_freedom = r->fit->degrees_of_freedom(r->design, 2);
    }
    answer.evaluations = rows_of(game, question);
    answer.notes = masking_notes(model);
    if (!r->exact) {
      for (std::string& note : masked_trees_notes(model)) answer.notes.push_back(std::move(note));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

const RegisterMethod kernel_shap(
    {.name = "kernel_shap",
     .title = "KernelSHAP",
     .formula = "a = argmin of sum over S of w(S) (v(S) - v(0) - sum over p in S of a_p)^2, sum of a = v(N) - v(0)",
     .source = "Lundberg, Lee 2017; Covert, Lee 2021",
     .about = "Shapley values as a weighted regression: the additive game closest to the model's, with the whole "
              "change shared out. Over all coalitions it is the Shapley value exactly; beyond, coalitions are drawn "
              "by the Shapley kernel, each with its complement, and every value gets a standard error. Several "
              "baselines average v.",
     .cost = "samples forward passes for every baseline, and a linear system of m players",
     .use = "For Shapley values of many players with few evaluations.",
     .limits = "Slightly biased when sampled, because a regression is not linear in its draws; the bias falls faster "
               "than the standard error. When sampled, a player that does nothing may get something, within its "
               "standard error. Needs more samples than players.",
     .baselines = true,
     .players = true,
     .game = true,
     .complete = true,
     .symmetric = true,
     .linear = true,
     .parameters = {integer_parameter("samples", 0, 0, 1 << 24,
                                      "coalitions; 0: 2048 and two for each player; exact if they hold all")},
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_kernel_shap
