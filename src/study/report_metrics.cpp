// The metrics of a report: how well each method predicts what the network does.
#include <algorithm>
#include <cmath>

#include "metrics/shared_passes.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

constexpr double kAffordableDraws = 1e11;  // multiply-adds for the draws of one metric: a few seconds
constexpr int64_t kFewest = 100;
constexpr double kShareOfMetrics = 0.35, kMostOfMetrics = 0.6;  // of the time that is left: planned, and for each

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

// Those of the request, as large as the model's work allows.
std::vector<ChosenMetric> wanted_metrics(const Reporting& reporting) {
  std::vector<ChosenMetric> wanted;
  for (const std::string& name : reporting.request.metrics) {
    const Metric& metric = metric_named(name);
    wanted.push_back({metric, {}, affordable_parameters(metric, reporting.work_per_row), true});
  }
  return wanted;
}

}  // namespace

void add_metrics(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number) {
  const Question& question = reporting.explained.rows[number];
  Spending& spending = reporting.spending;
  std::vector<MethodExplanations> methods;
  for (const MethodAnswer& method : reporting.explained.methods) {
    methods.push_back({method.chosen.method, method.chosen.parameters, std::span(&method.attributions[number], 1)});
  }
  const uint64_t stream = number;
  std::vector<ChosenMetric> wanted = wanted_metrics(reporting);
  std::vector<Lowered> lowered;
  const auto count = std::ssize(methods), baselines = question.baseline_count();
  if (spending.limited()) {
    std::vector<Dial> dials = dials_of(wanted, question.players, count, baselines, reporting.pace);
    lowered = lower_to(kShareOfMetrics * reporting.left(number), dials);
    for (const Lowered& one : lowered) {
      spending.cut({one.names(), "measured " + one.words(), "`budget` none measures with all"});
    }
  }
  SharedPasses shared;
  for (const ChosenMetric& one : wanted) {
    const Metric& metric = one.metric;
    const double planned =
        passes_of_metric(metric, one.parameters, question.players, count, baselines).seconds(reporting.pace);
    const auto left_out = [&](const std::string& reason) { row.absent.push_back({metric.name, reason}); };
    const double most = kMostOfMetrics * reporting.left(number);
    if (planned > most) {
      left_out(
          fmt::format("it would take about {}, of {} that are left; ascribe evaluate or a larger `budget` computes it",
                      seconds_text(planned), seconds_text(most)));
      spending.cut({metric.name, "left out", "ascribe evaluate, or a larger `budget`, computes it"});
      continue;
    }
    Spent spent{metric.name, {}, 0, setting_of(lowered, metric.name)};
    if (spending.limited()) spent.planned = planned;
    try {
      const bool done = spending.within(
          most, std::move(spent), reporting.running.progress_of(metric.name), [&](const Progress& progress) {
            const Scores scores = score(metric, {model,
                                                 std::span(&question, 1),
                                                 std::span(&stream, 1),
                                                 methods,
                                                 {},
                                                 one.parameters,
                                                 reporting.running.seed(),
                                                 progress,
                                                 &shared});
            document::MetricScores& kept =
                row.metrics.emplace_back(document::MetricScores{metric.name,
                                                                metric.title,
                                                                std::string(to_string(metric.better)),
                                                                metric.about,
                                                                facts_of(one.parameters),
                                                                {}});
            for (size_t m = 0; m < methods.size(); ++m) {
              kept.scores.push_back(score_of(methods[m].method.name, scores[m][0]));
            }
          });
      if (done) continue;
      left_out(fmt::format("{}; ascribe evaluate or a larger `budget` computes it", stopped_text(most)));
      spending.cut({metric.name, "stopped, and left out", "ascribe evaluate, or a larger `budget`, computes it"});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      reporting.running.note(fmt::format("{} is left out: {}", metric.name, error.what()));
      left_out(error.what());
    }
  }
}

}  // namespace ascribe::core::study
