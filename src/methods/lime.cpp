// LIME: the slopes of a linear surrogate over present and absent players, weighted by nearness to x:
//   minimise sum over S of w(S) (v(S) - c - sum over p in S of a_p)^2 / sum of w + ridge |a|^2,
//   w(S) = exp(-d(S)^2 / (2 width^2)),   d = 1 - sqrt(s/m) (cosine distance to everyone) or 1 - s/m (Hamming).
// The first coalition has all players; in the others every player is present or absent with equal probability. If all
// 2^m fit into the samples, each is taken once and nothing is random.
// Source: Ribeiro, Singh, Guestrin, "Why Should I Trust You?" (2016); the ridge is relative to the sum of weights.
#include <cmath>

#include "base/random.h"
#include "game/estimators/least_squares.h"
#include "methods/game_graph.h"
#include "methods/question_game.h"

namespace ascribe::core::method_lime {
namespace {

constexpr int64_t kMostPlayers = 2000;

struct Surrogate {
  Coalitions sets;
  Design design;  // unknown m: the intercept c
  std::optional<Fit> fit;
  bool exact = false;
};

double weight_of(int64_t members, int64_t m, const Parameters& parameters) {
  const double share = static_cast<double>(members) / static_cast<double>(m);
  const double distance = 1 - (parameters.text("distance") == "cosine" ? std::sqrt(share) : share);
  return std::exp(-0.5 * std::pow(distance / parameters.real("width"), 2));
}

void add_set(Surrogate& s, const std::vector<bool>& present, const Parameters& parameters) {
  const auto m = std::ssize(present);
  std::vector<int64_t> members;
  for (int64_t p = 0; p < m; ++p) {
    if (present[static_cast<size_t>(p)]) members.push_back(p);
  }
  s.sets.add(std::span<const int64_t>(members));
  std::vector<int> features(members.begin(), members.end());
  features.push_back(static_cast<int>(m));
  s.design.add(std::move(features), weight_of(std::ssize(members), m, parameters));
}

Surrogate surrogate(int64_t m, const Parameters& parameters, uint64_t seed) {
  if (m > kMostPlayers) {
    fail(ErrorKind::argument, "lime", "a regression over {} players takes too long; expected at most {}", m,
         kMostPlayers);
  }
  const int64_t samples = parameters.integer("samples");
  const bool exact = m < 40 && int64_t{1} << m <= samples;
  Surrogate s{Coalitions(m), {{}, {}, m + 1}, {}, exact};
  const int64_t count = exact ? int64_t{1} << m : samples;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<bool> present(static_cast<size_t>(m), true);
    for (int64_t p = 0; i > 0 && p < m; ++p) {
      const bool absent = exact ? (i >> p & 1) != 0 : Random(seed, static_cast<uint64_t>(i)).below(p, 2) != 0;
      present[static_cast<size_t>(p)] = !absent;
    }
    add_set(s, present, parameters);
  }
  s.fit = fit_with_ridge(s.design, parameters.real("ridge"), m);
  if (!s.fit) {
    fail(ErrorKind::argument, "lime", "{} coalitions do not tell {} players apart; expected more samples or a ridge",
         count, m);
  }
  return s;
}

std::vector<Value> graph(const AttributionRequest& r) {
  const Players players = players_of(r);
  const int64_t m = players.count();
  const Surrogate s = surrogate(m, r.parameters, r.random_seed);
  CoalitionPlan plan{s.sets, m, {}};
  for (size_t row = 0; row < s.design.rows.size(); ++row) {
    const std::vector<double> gains = s.fit->influence(s.design, row);
    for (int64_t p = 0; p < m; ++p) {
      plan.terms.push_back({p, static_cast<int64_t>(row), gains[static_cast<size_t>(p)]});
    }
  }
  return append_plan(r, players, plan);
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  std::vector<Attribution> answers;
  std::optional<Surrogate> s;
  for (const Question& question : questions) {
    const int64_t m = question.players.count();
    if (!s || s->sets.players() != m) s = surrogate(m, run.parameters, run.seed);
    Game game = question_game(model, question);
    const std::vector<double> v = game.values(s->sets, run.progress);
    const std::vector<double> x = s->fit->solve(s->design, v);
    std::vector<double> values(x.begin(), x.end() - 1);
    Attribution answer = attribution_of_players(question, values, v[0], model.baseline_output(question));
    answer.exact = s->exact;
    if (!s->exact && std::ssize(v) > m + 1) {
      answer.standard_errors = s->fit->standard_errors(s->design, v, x, 1);
      answer.standard_errors.pop_back();
      answer.degrees_of_freedom = s->fit->degrees_of_freedom(s->design, 1);
    }
    answer.evaluations = rows_of(game, question);
    answer.notes = masking_notes(model);
    answers.push_back(std::move(answer));
  }
  return answers;
}

const RegisterMethod lime(
    {.name = "lime",
     .title = "LIME",
     .formula = "a = argmin of sum over S of w(S) (v(S) - c - sum over p in S of a_p)^2 / sum of w + ridge |a|^2",
     .source = "Ribeiro, Singh, Guestrin 2016",
     .about = "A linear model of which players are present, fitted to the output on inputs with random players at the "
              "baseline; inputs nearer to x count more. Its slopes are the values. Several baselines average v.",
     .cost = "samples forward passes for every baseline, and a linear system of m players",
     .use = "To compare with what others publish, with superpixels as players.",
     .limits = "Depends on the kernel's width and the ridge, and does not share out a fixed part of the change: the "
               "values do not "
               "sum to it, and a player that does nothing may get something.",
     .baselines = true,
     .players = true,
     .game = true,
     .symmetric = true,
     .linear = true,
     .parameters = {integer_parameter("samples", 1024, 2, 1 << 24, "coalitions; all 2^m, each once, if they fit"),
                    text_parameter("distance", "cosine", "how far a coalition is from everyone", {"cosine", "hamming"}),
                    real_parameter("width", 0.25, 1e-6, 1e6, "width of the exponential kernel"),
                    real_parameter("ridge", 1e-3, 0, 1e6, "penalty on the squares, relative to the sum of weights")},
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_lime
