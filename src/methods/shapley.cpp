// Shapley value: phi(p) = mean over all orders of the players of v(before p and p) - v(before p).
//   few players   exact: sum over S without p of s! (m-s-1)! / m! (v(S and p) - v(S))
//   trees         exact for any number of players (methods/tree_question.h)
//   more          random orders, each with its reverse; the pairs are independent samples and give standard errors;
//                 or one of the estimators of game/estimators/shapley_estimators.h
// A pair is exact for games without interactions of three or more players, so the second-order Taylor game, often
// used as a control variate, has nothing left to correct (docs/theory/perturbation.md).
// Source: Shapley 1953; Castro, Gomez, Tejada 2009; Mitchell, Cooper, Frank, Holmes 2022 (reversed orders).
#include <algorithm>
#include <bit>

#include "game/estimators/shapley_estimators.h"
#include "game/estimators/small_sets.h"
#include "methods/game_graph.h"
#include "methods/question_game.h"
#include "methods/tree_question.h"

namespace ascribe::core::method_shapley {
namespace {

constexpr int64_t kAtOnce = 1 << 15;   // coalitions that are asked for at once
constexpr int64_t kPairsPerLook = 16;  // at the standard errors, if there is a tolerance
constexpr int64_t kMostExact = 24;

int64_t pairs_of(const Parameters& parameters) { return (parameters.integer("samples") + 1) / 2; }

std::vector<Value> graph(const AttributionRequest& r) {
  const Players players = players_of(r);
  const int64_t m = players.count();
  if (m <= r.parameters.integer("exact")) return append_plan(r, players, all_coalitions(m));
  if (r.parameters.text("estimator") != "permutations") {
    fail(ErrorKind::unsupported, "shapley",
         "a graph has sampled values by permutations only; expected estimator = "
         "permutations");
  }
  return append_plan(r, players, paired_orders(m, pairs_of(r.parameters), r.random_seed));
}

struct Values {
  std::vector<double> values, standard_errors;
  double degrees_of_freedom = 0;  // an order and its reverse are one draw
  double empty = 0, full = 0;
  std::vector<std::string> notes;
};

Values exact_values(Game& game, const Progress& progress) {
  const int64_t m = game.players();
  const std::vector<double> weights = shapley_weights(m), v = game.all_values(progress);
  Values result;
  result.values.resize(static_cast<size_t>(m));
  for (uint64_t set = 0; set < v.size(); ++set) {
    const int size = std::popcount(set);
    for (int64_t p = 0; p < m; ++p) {
      const bool member = (set >> p & 1) != 0;
      result.values[static_cast<size_t>(p)] += (member ? weights[size - 1] : -weights[size]) * v[set];
    }
  }
  result.empty = v.front();
  result.full = v.back();
  return result;
}

// The largest standard error as a share of the largest value.
double worst_share(const Moments& moments) {
  double value = 0;
  for (const double mean : moments.mean()) value = std::max(value, std::abs(mean));
  const std::vector<double> errors = moments.standard_errors();
  return *std::max_element(errors.begin(), errors.end()) / std::max(value, 1e-300);
}

Values sampled_values(Game& game, const MethodRun& run) {
  const int64_t m = game.players(), pairs = std::max<int64_t>(2, pairs_of(run.parameters));
  const double tolerance = run.parameters.real("tolerance");
  const int64_t most = std::max<int64_t>(1, kAtOnce / (2 * (m - 1)));
  const int64_t at_once = tolerance > 0 ? std::min(most, kPairsPerLook) : most;
  Values result;
  Moments moments(m);
  for (int64_t first = 0; first < pairs; first += at_once) {
    const int64_t count = std::min(at_once, pairs - first), offset = first == 0 ? 2 : 0;
    Coalitions sets(m);
    if (first == 0) {
      const std::vector<uint64_t> all = everyone(m);
      sets.add(std::span<const uint64_t>(all));
      sets.add(std::span<const int64_t>());
    }
    for (int64_t i = 0; i < count; ++i) add_pair(sets, run.seed, first + i);
    const std::vector<double> v = game.values(sets, run.progress);
    if (first == 0) result.full = v[0], result.empty = v[1];
    for (int64_t i = 0; i < count; ++i) {
      const double* own = v.data() + offset + i * 2 * (m - 1);
      moments.add(read_pair(m, run.seed, first + i, own, result.empty, result.full));
    }
    report(run.progress, "permutations", 2 * (first + count), 2 * pairs);
    if (tolerance > 0 && moments.count() > 1 && worst_share(moments) <= tolerance) break;
  }
  if (tolerance > 0 && worst_share(moments) > tolerance) {
    result.notes.push_back(
        fmt::format("the standard error is {:.2g} of the largest value after {} permutations; "
                    "tolerance {:g} was not reached",
                    worst_share(moments), 2 * pairs, tolerance));
  }
  result.values = moments.mean();
  result.standard_errors = moments.standard_errors();
  result.degrees_of_freedom = static_cast<double>(moments.count() - 1);
  return result;
}

// As many coalitions as the permutations would have.
Values estimated_values(Game& game, const MethodRun& run) {
  if (run.parameters.real("tolerance") > 0) {
    fail(ErrorKind::argument, "shapley", "only permutations stop at a tolerance; expected tolerance = 0");
  }
  const int64_t m = game.players(), samples = run.parameters.integer("samples");
  const EstimateRequest request{samples * (m - 1) + 2, run.seed, run.progress};
  ShapleyEstimate found = run.parameters.text("estimator") == "leverage" ? estimate_by_leverage(game, request)
                                                                         : estimate_by_proxy(game, request);
  return {
      std::move(found.values), std::move(found.standard_errors), found.degrees_of_freedom, found.empty, found.full, {}};
}

// Whether all coalitions are evaluated: those of few players, and wherever an estimator would not take fewer.
bool is_exact(int64_t m, const Parameters& parameters) {
  if (m <= parameters.integer("exact")) return true;
  if (parameters.text("estimator") == "permutations" || m > kMostExact) return false;
  return parameters.integer("samples") * (m - 1) + 2 >= int64_t{1} << m;
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  if (auto of_trees = tree_attributions(model, questions, run.progress)) return std::move(*of_trees);
  std::vector<Attribution> answers;
  for (const Question& question : questions) {
    Game game = question_game(model, question);
    const bool exact = is_exact(game.players(), run.parameters),
               orders = run.parameters.text("estimator") == "permutations";
    const Values found = exact    ? exact_values(game, run.progress)
                         : orders ? sampled_values(game, run)
                                  : estimated_values(game, run);
    Attribution answer = attribution_of_players(question, found.values, found.full, found.empty);
    answer.exact = exact;
    answer.standard_errors = found.standard_errors;
    answer.degrees_of_freedom = found.degrees_of_freedom;
    answer.evaluations = rows_of(game, question);
    answer.notes = found.notes;
    for (std::string& note : masking_notes(model)) answer.notes.push_back(std::move(note));
    if (!exact && !question.absence.conditional()) {
      for (std::string& note : masked_trees_notes(model)) answer.notes.push_back(std::move(note));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

const RegisterMethod shapley(
    {.name = "shapley",
     .title = "Shapley value",
     .number = 8,
     .formula = "a_p = mean over orders of the players of v(before p and p) - v(before p)",
     .source = "Shapley 1953; Castro, Gomez, Tejada 2009",
     .about = "Players come in one after the other, in every order; each gets what the output gains when it comes, on "
              "average. An effect of several players is shared equally among them. With few players all coalitions "
              "are evaluated; with more, random orders are drawn, each with its reverse, and every value gets a "
              "standard error. Two other estimators need fewer evaluations: `leverage`, a regression over coalitions "
              "of every "
              "size, and `proxy`, a Gaussian process through the same coalitions whose own Shapley values are known. "
              "Several "
              "baselines average v. Of decision trees values are exact for any number of players.",
     .cost = "2^m forward passes for m <= exact players; otherwise about samples * m; for every baseline; of trees a "
             "walk through each",
     .use = "When values must sum to the change and share interactions fairly. Patches or superpixels keep it cheap.",
     .limits =
         "Evaluates inputs that are partly masked, which may be unlike any that the model knows. Sampled values "
         "are known up to their standard errors only. By a regression or a proxy, a player that does nothing may get "
         "something, within its standard error; both are slightly biased, and a proxy's intervals of 95 % held "
         "the truth 84 to 98 times in a hundred where it could be looked up. They take at most 2000 players.",
     .baselines = true,
     .players = true,
     .game = true,
     .complete = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = {integer_parameter("exact", 12, 0, kMostExact, "up to so many players all coalitions are evaluated"),
                    integer_parameter(
                        "samples", 64, 2, 1 << 24,
                        "permutations beyond that; each comes with its reverse. Other estimators evaluate "
                        "as many coalitions"),
                    text_parameter("estimator", "permutations",
                                   "how values are found beyond that: by permutations, by regression over coalitions "
                                   "(leverage), or by a Gaussian process through them (proxy)",
                                   {"permutations", "leverage", "proxy"}),
                    real_parameter("tolerance", 0, 0, 1,
                                   "stop when the largest standard error is this share of the largest value; 0: use "
                                   "all samples")},
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_shapley
