#include "metrics/metric.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/finite.h"
#include "methods/foreign.h"

namespace ascribe::core {

namespace {

void check_suits(const Metric& metric, const MetricInput& input) {
  if (!metric.rates()) fail(ErrorKind::unsupported, metric.name, "is about the model and does not rate methods");
  require(input.streams.size() == input.questions.size(), metric.name, "a stream for each question");
  for (const MethodExplanations& one : input.methods) {
    require(one.attributions.size() == input.questions.size(), metric.name, "an attribution for each question");
  }
  for (const Question& question : input.questions) {
    if (metric.images && !question.players.image) {
      fail(ErrorKind::unsupported, metric.name, "this metric is for images, and the rows are not images");
    }
  }
  if (!metric.objects) return;
  if (input.objects.size() != input.questions.size()) {
    fail(ErrorKind::unsupported, metric.name,
         "this metric needs to know where the object is; expected data with boxes");
  }
  for (size_t q = 0; q < input.questions.size(); ++q) {
    const ImageShape& image = *input.questions[q].players.image;
    require(std::ssize(input.objects[q]) == image.height * image.width, metric.name, "a mask of the image's size");
  }
}

// The methods that the metric takes, and the place of each among all.
struct Accepted {
  std::vector<MethodExplanations> methods;
  std::vector<size_t> places;
};

Accepted accepted(const Metric& metric, const MetricInput& input) {
  Accepted result;
  for (size_t m = 0; m < input.methods.size(); ++m) {
    if (!metric.slopes && input.methods[m].method.kind == AttributionKind::sensitivity) continue;
    result.methods.push_back(input.methods[m]);
    result.places.push_back(m);
  }
  return result;
}

void check_scores(const Metric& metric, const Scores& scores) {
  for (const auto& of_method : scores) {
    for (const Score& one : of_method) {
      if (one.defined() && !std::isfinite(one.value)) {
        fail(ErrorKind::numeric, metric.name, "a score is {}", number_in_words(one.value));
      }
    }
  }
}

}  // namespace

std::string_view to_string(Better better) {
  if (better == Better::neither) return "neither";
  return better == Better::higher ? "higher" : "lower";
}

std::string_view to_string(MetricCategory category) {
  switch (category) {
    case MetricCategory::faithfulness: return "faithfulness";
    case MetricCategory::robustness: return "robustness";
    case MetricCategory::localisation: return "localisation";
    case MetricCategory::complexity: return "complexity";
    case MetricCategory::axioms: return "axioms";
    case MetricCategory::randomisation: return "randomisation";
    case MetricCategory::agreement: return "agreement";
    case MetricCategory::interaction: return "interaction";
  }
  fail(ErrorKind::internal, "metric", "a category without a name");
}

std::vector<std::string> metric_names() {
  std::vector<const Metric*> metrics;
  for (const auto& [name, metric] : MetricRegistry::instance().entries()) metrics.push_back(&metric);
  std::stable_sort(metrics.begin(), metrics.end(), [](auto a, auto b) { return a->category < b->category; });
  std::vector<std::string> names;
  for (const Metric* metric : metrics) names.push_back(metric->name);
  return names;
}

const Metric& metric_named(std::string_view name) {
  if (const Metric* metric = MetricRegistry::instance().find(name)) return *metric;
  fail(ErrorKind::unsupported, name, "there is no such metric; {}", expected_one_of(name, metric_names()));
}

RegisterMetric::RegisterMetric(Metric metric) {
  std::string name = metric.name;
  require(!name.empty(), "metrics", "a metric has no name");
  Parameters(name, metric.parameters);  // refuses what is declared twice
  require((metric.score == nullptr) != (metric.profile == nullptr), name, "a metric that cannot be computed");
  require(!metric.objects || metric.images, name, "objects are found in images");
  MetricRegistry::instance().add(std::move(name), std::move(metric));
}

namespace {

// Of numbers that were given nothing is known at the inputs that some metrics ask about: the method that says so is
// left out, and the others are scored without it.
Scores score_accepted(const Metric& metric, const MetricInput& input, Accepted& taken, Scores& scores) {
  for (;;) {
    if (taken.methods.empty()) return {};
    try {
      return metric.score({input.model, input.questions, input.streams, taken.methods, input.objects, input.parameters,
                           input.seed, input.progress, input.shared});
    } catch (const Error& error) {
      Accepted others;
      for (size_t i = 0; i < taken.methods.size(); ++i) {
        const Method& method = taken.methods[i].method;
        if (error.kind() == ErrorKind::unsupported && is_given(method) && method.name == error.where()) {
          scores[taken.places[i]].assign(input.questions.size(), undefined_score(error.message()));
        } else {
          others.methods.push_back(taken.methods[i]);
          others.places.push_back(taken.places[i]);
        }
      }
      if (others.methods.size() == taken.methods.size()) throw;
      taken = std::move(others);
    }
  }
}

}  // namespace

Scores score(const Metric& metric, const MetricInput& input) {
  check_suits(metric, input);
  Accepted taken = accepted(metric, input);
  const Score refused = undefined_score(metric.name + " is about contributions, but this method gives slopes");
  Scores scores(input.methods.size(), std::vector<Score>(input.questions.size(), refused));
  Scores computed = score_accepted(metric, input, taken, scores);
  require(computed.size() == taken.methods.size(), metric.name, "scores for each method");
  for (size_t i = 0; i < computed.size(); ++i) {
    require(computed[i].size() == input.questions.size(), metric.name, "a score for each question");
    scores[taken.places[i]] = std::move(computed[i]);
  }
  check_scores(metric, scores);
  return scores;
}

Scores question_by_question(const MetricInput& input, const std::function<std::vector<Score>(size_t question)>& work) {
  Scores scores(input.methods.size());
  const auto count = std::ssize(input.questions);
  for (size_t q = 0; q < input.questions.size(); ++q) {
    std::vector<Score> of_question = work(q);
    require(of_question.size() == scores.size(), "metric", "a score for each method");
    for (size_t m = 0; m < scores.size(); ++m) scores[m].push_back(std::move(of_question[m]));
    report(input.progress, "scoring", static_cast<int64_t>(q) + 1, count);
  }
  return scores;
}

Score undefined_score(std::string why) {
  Score result;
  result.undefined = std::move(why);
  return result;
}

}  // namespace ascribe::core
