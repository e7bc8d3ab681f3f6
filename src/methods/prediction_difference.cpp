// Prediction difference: a_p = E over b of f(x) - f(x with the elements of p at b), b drawn from
//   marginal     the question's baselines, every row once: the empirical distribution
//   gaussian     x + sigma N(0, 1)
//   uniform      low to high
//   conditional  a Gaussian of the player given the pixels around it, fitted on the baselines (conditional_patch.h)
// Source: Robnik-Sikonja, Kononenko 2008; Zintgraf, Cohen, Adel, Welling 2017.
#include <algorithm>

#include "base/random.h"
#include "game/estimators/small_sets.h"
#include "methods/conditional_patch.h"
#include "methods/game_graph.h"
#include "methods/question_game.h"

namespace ascribe::core::method_prediction_difference {
namespace {

// Row `sample` of what could have been: every element is drawn, each player alone is put into x.
using Draw = std::function<std::vector<double>(int64_t sample)>;

Draw draw_of(const Question& question, std::vector<double> x, const MethodRun& run) {
  const Parameters& parameters = run.parameters;
  const std::string& distribution = parameters.text("distribution");
  if (distribution == "conditional") {
    const auto patches = std::make_shared<ConditionalPatch>(
        question.players, question.baselines, parameters.integer("context"), parameters.real("shrinkage"));
    return [patches, x = std::move(x), seed = run.seed](int64_t sample) { return patches->draw(x, seed, sample); };
  }
  const double sigma = parameters.real("sigma"), low = parameters.real("low"), high = parameters.real("high");
  if (low > high)
    fail(ErrorKind::argument, "prediction_difference", "low must not exceed high; got {} and {}", low, high);
  const bool gaussian = distribution == "gaussian";
  return [=, x = std::move(x), seed = run.seed](int64_t sample) {
    const Random random(seed, static_cast<uint64_t>(sample));
    std::vector<double> row = x;
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = gaussian ? x[i] + sigma * random.normal(i) : low + (high - low) * random.uniform(i);
    }
    return row;
  };
}

// Baselines that are frozen in can be averaged; draws around x cannot be known beforehand.
std::vector<Value> graph(const AttributionRequest& r) {
  if (const std::string& distribution = r.parameters.text("distribution"); distribution != "marginal") {
    fail(ErrorKind::unsupported, "prediction_difference", "only distribution=marginal can be compiled; got {}",
         distribution);
  }
  const Players players = players_of(r);
  return append_plan(r, players, leave_one_out(players.count()));
}

Attribution sampled(ExplainedModel& model, const Question& question, const MethodRun& run) {
  const Tensor x = question.point[model.input()].cast(DType::f64);
  const auto numbers = x.data<double>();
  const Draw draw = draw_of(question, {numbers.begin(), numbers.end()}, run);
  const CoalitionPlan plan = leave_one_out(question.players.count());
  const int64_t samples = run.parameters.integer("samples");
  Shape one = question.baselines.shape();
  one[0] = 1;
  Moments moments(plan.values);
  double output = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    const Question drawn{question.point, question.target, Tensor::of<double>(one, draw(sample)), question.players};
    const std::vector<double> v = question_game(model, drawn).values(plan.sets);
    moments.add(plan.apply(v));
    output = v[0];
    report(run.progress, "samples", sample + 1, samples);
  }
  Attribution answer = attribution_of_players(question, moments.mean(), output, model.baseline_output(question));
  answer.exact = false;
  answer.standard_errors = moments.standard_errors();
  answer.degrees_of_freedom = static_cast<double>(samples - 1);
  answer.evaluations = samples * plan.sets.size();
  answer.notes = masking_notes(model);
  return answer;
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  if (run.parameters.text("distribution") == "marginal") {
    return attributions_of_plans(model, questions, run, leave_one_out);
  }
  for (const Question& question : questions) {
    if (!question.absence.conditional()) continue;
    fail(ErrorKind::argument, "prediction_difference",
         "draws players by itself; got distribution={} and absent players that depend on the others; expected "
         "distribution=marginal",
         run.parameters.text("distribution"));
  }
  std::vector<Attribution> answers;
  for (const Question& question : questions) answers.push_back(sampled(model, question, run));
  return answers;
}

// A player at a drawn row is what it is at a baseline.
std::optional<DrawnBaselines> drawn(const ExplainedModel& model, const Question& question, const MethodRun& run) {
  std::map<std::string, std::string> parameters(run.parameters.all().begin(), run.parameters.all().end());
  if (parameters["distribution"] == "marginal") return std::nullopt;
  const Tensor x = question.point[model.input()].cast(DType::f64);
  const auto numbers = x.data<double>();
  const Draw draw = draw_of(question, {numbers.begin(), numbers.end()}, run);
  const int64_t samples = run.parameters.integer("samples");
  Shape shape = question.baselines.shape();
  shape[0] = samples;
  Tensor rows(DType::f64, shape);
  auto to = rows.mutable_data<double>().begin();
  for (int64_t sample = 0; sample < samples; ++sample) to = std::ranges::copy(draw(sample), to).out;
  std::string about = fmt::format("{} baselines drawn ({})", samples, parameters["distribution"]);
  parameters["distribution"] = "marginal";
  return DrawnBaselines{std::move(rows), std::move(parameters), std::move(about)};
}

const RegisterMethod prediction_difference(
    {.name = "prediction_difference",
     .title = "Prediction Difference",
     .number = 4,
     .formula = "a_p = E over b of f(x) - f(x with the elements of p at b)",
     .source = "Robnik-Sikonja, Kononenko 2008; Zintgraf, Cohen, Adel, Welling 2017",
     .about = "Occlusion with a distribution in the place of one baseline: what is lost on average when a player is "
              "replaced by what it could have been. Marginal takes every row of the baselines once; gaussian and "
              "uniform draw every element; conditional draws a player given the pixels around it, from a Gaussian "
              "that is fitted on the baselines. Drawn values come with standard errors.",
     .cost = "m + 1 forward passes for every row of the baselines, or for every sample",
     .use = "With background data, where no single baseline means 'absent'. Conditional asks what only this player "
            "knows: what its surroundings tell anyway counts as nothing.",
     .limits = "As occlusion: effects of several players are counted once for each of them. The conditional model is "
               "Gaussian, fitted at every place of the image by itself, and needs many background rows.",
     .baselines = true,
     .players = true,
     .game = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = {text_parameter("distribution", "marginal", "what replaces a player",
                                   {"marginal", "gaussian", "uniform", "conditional"}),
                    integer_parameter("samples", 32, 2, 1 << 24, "number of draws; marginal makes none"),
                    real_parameter("sigma", 0.1, 0, 1e6, "gaussian: the standard deviation around x"),
                    real_parameter("low", 0, -1e9, 1e9, "uniform: from"),
                    real_parameter("high", 1, -1e9, 1e9, "uniform: to"),
                    integer_parameter("context", 2, 1, 64, "conditional: pixels around a player that tell about it"),
                    real_parameter("shrinkage", 0.1, 1e-6, 1,
                                   "conditional: how far the covariance is shrunk towards its diagonal")},
     .graph = graph,
     .attribute = attribute,
     .drawn = drawn});

}  // namespace
}  // namespace ascribe::core::method_prediction_difference
