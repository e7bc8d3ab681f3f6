// Expected Gradients: the mean of integrated gradients over baselines b drawn from p(b),
//   a_i = E_b (x_i - b_i) * integral over t in [0, 1] of df/dx_i (b + t (x - b)).
// Source: Erion, Janizek, Sturmfels, Lundberg, Lee, "Improving Performance of Deep Learning Models with Axiomatic
// Attribution Priors and Expected Gradients" (2021), equation 4. They, and GradientShap, draw one t for each b
// (alpha=random here); the integral over t has less variance for the same baselines and is the default.
// All questions get the same draws, so that a question has the same answer alone and among others.
#include "base/random.h"
#include "methods/method.h"
#include "methods/path_integral.h"

namespace ascribe::core::method_expected_gradients {
namespace {

constexpr int64_t kCompiledSteps = 16;
constexpr int64_t kMostNodes = 64;
constexpr int64_t kGaussianSamples = 32;
enum Stream : uint64_t { kWhich = 71, kNoise, kWhere };

// Some of the background's rows, each at most once.
PathStarts some_rows(const Tensor& background, int64_t samples, uint64_t seed) {
  const int64_t count = background.shape()[0], size = background.size() / count;
  if (samples > count) {
    fail(ErrorKind::argument, "expected_gradients",
         "samples = {} is more than the background has; expected at most {}, or 0 for all", samples, count);
  }
  if (samples == 0 || samples == count) return {background, {}};
  Shape shape = background.shape();
  shape[0] = samples;
  Tensor rows(DType::f64, shape);
  const auto order = Random(seed, kWhich).permutation(0, count);
  for (int64_t s = 0; s < samples; ++s) {
    std::copy_n(background.data<double>().data() + order[static_cast<size_t>(s)] * size, size,
                rows.mutable_data<double>().data() + s * size);
  }
  return {rows, {}, true, 1 - static_cast<double>(samples) / static_cast<double>(count)};
}

// Rows of the background with a t for each; drawn again and again if there are more samples than rows.
PathStarts random_points(const Tensor& background, int64_t samples, uint64_t seed) {
  const int64_t count = background.shape()[0], size = background.size() / count;
  const int64_t draws = samples == 0 ? count : samples;
  Shape shape = background.shape();
  shape[0] = draws;
  PathStarts starts{Tensor(DType::f64, shape), {}, true};
  const Random which(seed, kWhich), where(seed, kWhere);
  for (int64_t s = 0; s < draws; ++s) {
    const auto index = static_cast<uint64_t>(s);
    const int64_t row = samples == 0 ? s : static_cast<int64_t>(which.below(index, static_cast<uint64_t>(count)));
    std::copy_n(background.data<double>().data() + row * size, size,
                starts.baselines.mutable_data<double>().data() + s * size);
    starts.only_at.push_back(where.uniform(index));
  }
  return starts;
}

// x + sigma N(0, 1) for the elements that a player owns.
Tensor around(const ExplainedModel& model, const Question& question, double sigma, int64_t samples, uint64_t seed) {
  Shape shape = model.row();
  shape.insert(shape.begin(), samples);
  Tensor rows(DType::f64, shape);
  const Tensor x = question.point[model.input()].cast(DType::f64);
  const auto from = x.data<double>();
  const auto to = rows.mutable_data<double>();
  const Random noise(seed, kNoise);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t element = i % from.size();
    to[i] = from[element] + (question.players.owner[element] < 0 ? 0 : sigma * noise.normal(i));
  }
  return rows;
}

PathStarts starts_of(const ExplainedModel& model, const Question& question, const MethodRun& run) {
  const Parameters& parameters = run.parameters;
  const int64_t samples = parameters.integer("samples");
  const bool random = parameters.text("alpha") == "random";
  if (parameters.text("distribution") == "background") {
    const Tensor background = effective_baselines(model, question);
    return random ? random_points(background, samples, run.seed) : some_rows(background, samples, run.seed);
  }
  const int64_t draws = samples == 0 ? kGaussianSamples : samples;
  PathStarts starts{around(model, question, parameters.real("sigma"), draws, run.seed), {}, true};
  const Random where(run.seed, kWhere);
  for (int64_t s = 0; random && s < draws; ++s) starts.only_at.push_back(where.uniform(static_cast<uint64_t>(s)));
  return starts;
}

// alpha=random stays as it is: its points are draws of another kind, which a residual shows.
std::optional<DrawnBaselines> drawn(const ExplainedModel& model, const Question& question, const MethodRun& run) {
  PathStarts starts = starts_of(model, question, run);
  if (!starts.drawn) return std::nullopt;
  std::map<std::string, std::string> parameters(run.parameters.all().begin(), run.parameters.all().end());
  const bool background = parameters["distribution"] == "background";
  std::string about = fmt::format("{} {}", starts.baselines.shape()[0],
                                  background ? "rows of the background" : "baselines drawn around x");
  parameters["distribution"] = "background";
  parameters["samples"] = "0";
  return DrawnBaselines{std::move(starts.baselines), std::move(parameters), std::move(about)};
}

// Drawn baselines differ from question to question: few of them are held at a time.
std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  std::vector<Attribution> answers;
  while (answers.size() < questions.size()) {
    const auto left = questions.subspan(answers.size());
    std::vector<PathStarts> starts;
    for (int64_t bytes = 0; starts.size() < left.size() && bytes < model.row_bytes();) {
      starts.push_back(starts_of(model, left[starts.size()], run));
      if (starts.back().drawn) bytes += static_cast<int64_t>(starts.back().baselines.bytes());
    }
    const auto some = left.first(starts.size());
    for (Attribution& a : attribution_of_paths(model, some, starts, path_rule(run.parameters), run.progress)) {
      answers.push_back(std::move(a));
    }
  }
  return answers;
}

std::vector<Value> graph(const AttributionRequest& r) {
  const Parameters& parameters = r.parameters;
  if (parameters.text("distribution") != "background" || parameters.integer("samples") != 0 ||
      parameters.text("alpha") != "quadrature") {
    fail(ErrorKind::unsupported, "expected_gradients",
         "only distribution=background, samples=0 and alpha=quadrature can be compiled: a graph has its baselines "
         "frozen in");
  }
  const int64_t steps = parameters.integer("steps");
  if (steps == 0) {
    r.notes.push_back(fmt::format("a graph has a fixed number of nodes; steps=0 stands for {}", kCompiledSteps));
  }
  return append_path_integral(r, steps == 0 ? kCompiledSteps : steps);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> all = {
      text_parameter("distribution", "background",
                     "where baselines come from: the rows given as baselines, or a Gaussian around x",
                     {"background", "gaussian"}),
      integer_parameter("samples", 0, 0, int64_t{1} << 24,
                        "baselines to draw; 0: the whole background, 32 of a Gaussian"),
      real_parameter("sigma", 0.1, 0, 1e30, "standard deviation of the Gaussian, in units of the input"),
      text_parameter("alpha", "quadrature", "along a path: the integral, or one random point for each baseline",
                     {"quadrature", "random"})};
  for (Parameter& parameter : path_parameters(kMostNodes)) all.push_back(std::move(parameter));
  return all;
}

const RegisterMethod expected_gradients(
    {.name = "expected_gradients",
     .title = "Expected Gradients",
     .number = 7,
     .formula = "a_i = mean over b of (x_i - b_i) * integral over t in [0, 1] of df/dx_i at b + t (x - b)",
     .source = "Erion, Janizek, Sturmfels, Lundberg, Lee 2021",
     .about = "Integrated gradients averaged over baselines from a distribution: the rows of a background set, or a "
              "Gaussian around x. The sum over all elements is f(x) less the mean of f over the baselines.",
     .cost = "as integrated gradients, for every baseline: up to 64 forward and backward passes each unless `most` "
             "says otherwise; with alpha=random one pass each",
     .use = "When no single baseline stands for 'nothing is there'; with a few dozen rows of real data as background.",
     .limits = "As good as the background: values are relative to it. Where baselines were drawn, the standard error "
               "of every value says how far another draw could be.",
     .baselines = true,
     .complete = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = parameters(),
     .graph = graph,
     .attribute = attribute,
     .drawn = drawn});

}  // namespace
}  // namespace ascribe::core::method_expected_gradients
