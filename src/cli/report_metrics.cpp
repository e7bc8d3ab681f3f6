// The metrics of a report: how well each method predicts what the network does.
#include <algorithm>

#include "cli/report.h"
#include "metrics/metric.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kAffordable = 1e11;  // multiply-adds for the draws of one metric: a few seconds
constexpr int64_t kFewest = 100;

// Fewer draws where the model is large; the page says how many.
Parameters affordable_parameters(const Metric& metric, int64_t work_per_row) {
  std::map<std::string, std::string> given;
  const auto most = static_cast<int64_t>(kAffordable / static_cast<double>(std::max<int64_t>(work_per_row, 1)));
  for (const Parameter& parameter : metric.parameters) {
    if (parameter.name != "perturbations") continue;
    const int64_t usual = std::stoll(parameter.fallback);
    if (most < usual) given["perturbations"] = std::to_string(std::max(kFewest, most));
  }
  return {metric.name, metric.parameters, given};
}

Json score_as_json(const std::string& method, const Score& score) {
  Json json = {{"method", method}, {"value", number(score.value)}};
  json["undefined"] = score.defined() ? Json() : Json(score.undefined);
  json["positions"] = score.curve.empty() ? Json() : numbers(score.positions);
  json["curve"] = score.curve.empty() ? Json() : numbers(score.curve);
  return json;
}

Json metric_as_json(const Metric& metric, const Parameters& parameters, const Scores& scores,
                    const std::vector<MethodExplanations>& methods) {
  Json list = Json::array();
  for (size_t m = 0; m < methods.size(); ++m) list.push_back(score_as_json(methods[m].method.name, scores[m][0]));
  return {{"name", metric.name},   {"title", metric.title},          {"better", to_string(metric.better)},
          {"about", metric.about}, {"parameters", parameters.all()}, {"scores", list}};
}

}  // namespace

Json metrics_as_json(ExplainedModel& model, int64_t work_per_row, const ExplainAnswer& answer, size_t row,
                     const ReportRequest& request, std::vector<std::string>& notes) {
  const Question& question = answer.rows[row];
  std::vector<MethodExplanations> methods;
  for (const MethodAnswer& method : answer.methods) {
    methods.push_back({method.chosen.method, method.chosen.parameters, std::span(&method.attributions[row], 1)});
  }
  const uint64_t stream = row;
  Json list = Json::array();
  for (const std::string& name : request.metrics) {
    const Metric& metric = metric_named(name);
    const Parameters parameters = affordable_parameters(metric, work_per_row);
    const Progress progress = progress_of(name, request.general.quiet);
    try {
      const Scores scores = score(metric, {model,
                                           std::span(&question, 1),
                                           std::span(&stream, 1),
                                           methods,
                                           {},
                                           parameters,
                                           request.general.seed,
                                           progress});
      list.push_back(metric_as_json(metric, parameters, scores, methods));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      notes.push_back(fmt::format("{} is left out: {}", name, error.what()));
    }
  }
  return list;
}

}  // namespace ascribe::core
