// The metrics of a report: how well each method predicts what the network does.
#include <algorithm>
#include <cmath>

#include "metrics/shared_passes.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

constexpr double kAffordableDraws = 1e11;  // multiply-adds for the draws of one metric: a few seconds
constexpr int64_t kFewest = 100;

// Fewer draws where the model is large; the page says how many.
Parameters affordable_parameters(const Metric& metric, int64_t work_per_row) {
  std::map<std::string, std::string> given;
  const auto most = static_cast<int64_t>(kAffordableDraws / static_cast<double>(std::max<int64_t>(work_per_row, 1)));
  for (const Parameter& parameter : metric.parameters) {
    if (parameter.name != "perturbations") continue;
    const int64_t usual = std::stoll(parameter.fallback);
    if (most < usual) given["perturbations"] = std::to_string(std::max(kFewest, most));
  }
  return {metric.name, metric.parameters, given};
}

document::Score score_of(const std::string& method, const Score& score) {
  document::Score kept{method, document::number(score.value), score.undefined, {}, {}};
  for (size_t i = 0; i < score.curve.size(); ++i) {
    if (!std::isfinite(score.curve[i])) continue;
    kept.positions.push_back(document::rounded(score.positions[i]));
    kept.curve.push_back(document::rounded(score.curve[i]));
  }
  return kept;
}

}  // namespace

std::vector<document::MetricScores> metrics_of(const Reporting& reporting, ExplainedModel& model, size_t row) {
  const Question& question = reporting.explained.rows[row];
  std::vector<MethodExplanations> methods;
  for (const MethodAnswer& method : reporting.explained.methods) {
    methods.push_back({method.chosen.method, method.chosen.parameters, std::span(&method.attributions[row], 1)});
  }
  const uint64_t stream = row;
  std::vector<document::MetricScores> list;
  SharedPasses shared;
  for (const std::string& name : reporting.request.metrics) {
    const Metric& metric = metric_named(name);
    const Parameters parameters = affordable_parameters(metric, reporting.work_per_row);
    const Progress progress = reporting.running.progress_of(name);
    try {
      const Scores scores = score(metric, {model,
                                           std::span(&question, 1),
                                           std::span(&stream, 1),
                                           methods,
                                           {},
                                           parameters,
                                           reporting.running.seed(),
                                           progress,
                                           &shared});
      document::MetricScores& one = list.emplace_back(document::MetricScores{
          metric.name, metric.title, std::string(to_string(metric.better)), metric.about, facts_of(parameters), {}});
      for (size_t m = 0; m < methods.size(); ++m) one.scores.push_back(score_of(methods[m].method.name, scores[m][0]));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      reporting.running.note(fmt::format("{} is left out: {}", name, error.what()));
    }
  }
  return list;
}

}  // namespace ascribe::core::study
