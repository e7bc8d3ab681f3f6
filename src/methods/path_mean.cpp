// Means of path integrals as attributions, and path integrals as graphs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/gauss_legendre.h"
#include "methods/gradients_at.h"
#include "methods/path_tolerance.h"
#include "methods/spread.h"
#include "passes/choices.h"

namespace ascribe::core {

namespace {

// The mean of the paths of one question, and how far single paths are from it.
class PathMean {
 public:
  PathMean(const ExplainedModel& model, const Question& question, const PathStarts& starts, const PathRule& rule)
      : model_(model), question_(question), starts_(starts), rule_(rule) {}

  void add(const PathIntegral& path) {
    ++count_;
    sum_.resize(path.values.size(), 0.0);
    for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += path.values[i];
    if (starts_.drawn) spread_.add(sums_of_players(question_.players, path.values));
    output_ = path.output;
    baseline_sum_ += path.baseline_output;
    missed_ += path.missed;
    nodes_ += path.nodes;
  }

  Attribution finished() const {
    const auto n = static_cast<double>(count_);
    Tensor elements(DType::f64, model_.row());
    std::transform(sum_.begin(), sum_.end(), elements.mutable_data<double>().begin(), [&](double s) { return s / n; });
    Attribution a = attribution_of_elements(question_, elements, output_, baseline_sum_ / n);
    const bool integrated = starts_.only_at.empty(), reached = integrated && misses(a) <= allowed(a);
    a.exact = reached && !starts_.drawn;
    a.evaluations = 2 * (nodes_ + 2 * count_);
    a.standard_errors = spread_.standard_errors(starts_.unseen);
    a.degrees_of_freedom = spread_.degrees_of_freedom();
    if (integrated && !reached) a.notes.push_back(missed_note(a));
    return a;
  }

 private:
  double misses(const Attribution& a) const {
    return std::max(std::abs(a.residual), missed_ / static_cast<double>(count_));
  }
  double rounding(const Attribution& a) const {
    return rounding_of(model_.real(),
                       std::max({std::abs(a.output), std::abs(a.baseline_output), sum_of_magnitudes(a)}));
  }
  // `exact` promises this, whatever the paths were told to reach: changes of several baselines may cancel.
  double allowed(const Attribution& a) const {
    return allowance(rule_.tolerance, a.output - a.baseline_output, sum_of_magnitudes(a), model_.real());
  }

  std::string missed_note(const Attribution& a) const {
    const double nodes = static_cast<double>(nodes_) / static_cast<double>(count_), missed = misses(a);
    const double change = std::abs(a.output - a.baseline_output);
    if (!std::isfinite(missed + change)) return "the integral has no value: f is not finite somewhere on a path";
    const std::string start = fmt::format(
        "the integral missed its tolerance: after {:.0f} nodes a path misses {:.2g} where f changes by {:.2g}", nodes,
        missed, change);
    if (missed <= 2 * rounding(a)) {
      const bool single = model_.real() != DType::f64;
      return fmt::format("{}, which {} cannot resolve beside f(x) = {:.3g}{}", start, single ? "float" : "double",
                         a.output, single ? "; `precision` double can" : "");
    }
    return fmt::format("{}; {}{}", start, has_kinks(model_.graph()) ? "networks with kinks converge slowly; " : "",
                       rule_.steps > 0 ? "steps=0 takes as many as needed" : "'most' allows more");
  }

  static double sum_of_magnitudes(const Attribution& a) {
    const auto elements = a.elements.data<double>();
    return std::accumulate(elements.begin(), elements.end(), 0.0, [](double s, double e) { return s + std::abs(e); });
  }

  const ExplainedModel& model_;
  const Question& question_;
  const PathStarts& starts_;
  const PathRule& rule_;
  std::vector<double> sum_;
  Spread spread_;
  double output_ = 0, baseline_sum_ = 0, missed_ = 0;
  int64_t nodes_ = 0, count_ = 0;
};

}  // namespace

std::vector<Attribution> attribution_of_paths(ExplainedModel& model, std::span<const Question> questions,
                                              std::span<const PathStarts> starts, const PathRule& rule,
                                              const Progress& progress) {
  const PathRule used = with_tolerance(rule, model.real());
  std::vector<Path> paths;
  std::vector<size_t> question_of;
  std::vector<PathMean> means;
  const auto elements = static_cast<size_t>(element_count(model.row()));
  for (size_t q = 0; q < questions.size(); ++q) {
    means.emplace_back(model, questions[q], starts[q], used);
    const auto rows = starts[q].baselines.data<double>();
    for (size_t b = 0; b * elements < rows.size(); ++b) {
      std::optional<double> only_at;
      if (!starts[q].only_at.empty()) only_at = starts[q].only_at[b];
      paths.push_back({&questions[q], rows.subspan(b * elements, elements), only_at});
      question_of.push_back(q);
    }
  }
  integrate_paths(
      model, paths, used, [&](size_t path, PathIntegral&& result) { means[question_of[path]].add(result); }, progress);
  std::vector<Attribution> answers;
  for (const PathMean& mean : means) answers.push_back(mean.finished());
  return answers;
}

std::vector<Value> append_path_integral(const AttributionRequest& r, int64_t steps) {
  Builder& b = r.b;
  const Quadrature& rule = gauss_legendre(steps);
  // [1, steps, 1...], beside x with an axis for the steps.
  const auto along_path = [&](const std::vector<double>& numbers, Value x) {
    Shape shape(static_cast<size_t>(b.rank(x)) + 1, 1);
    shape[1] = steps;
    return b.constant(Tensor::of<double>(shape, numbers));
  };
  std::vector<Value> directions, points;
  for (size_t i = 0; i < r.inputs.size(); ++i) {
    directions.push_back(b.sub(r.inputs[i], r.baselines[i]));
    const Value moved = b.mul(along_path(rule.nodes, r.inputs[i]), with_points_axis(b, directions[i], 1));
    points.push_back(as_rows(b, b.add(with_points_axis(b, r.baselines[i], 1), moved)));
  }
  std::vector<Value> attributions = gradients_at(r, points, steps);
  for (size_t i = 0; i < attributions.size(); ++i) {
    const Value weighted = b.mul(with_points_axis(b, attributions[i], steps), along_path(rule.weights, r.inputs[i]));
    attributions[i] = b.mul(directions[i], b.reduce("reduce_sum", weighted, {1}, false));
  }
  return attributions;
}

}  // namespace ascribe::core
