#include "study/reproduce/scores.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/finite.h"
#include "study/audit.h"
#include "study/evaluate.h"
#include "study/reproduce/groups.h"

namespace ascribe::core::study::paper {

namespace {

// For Prediction Difference and Expected Gradients, which average over baselines.
constexpr double kBaselineSigma = 0.1;
constexpr int64_t kBaselineDraws = 4;
constexpr int64_t kBatch = 4;  // images between two lines of the journal

EvaluateRequest request_of(const PaperRun& run, const Network& network, const ScorePlan& plan,
                           std::shared_ptr<Dataset> data, const Shape& row) {
  EvaluateRequest request;
  request.data = run.request.data;
  request.dataset = std::move(data);
  request.question = run.question(plan.players, plan.target);
  request.question.baseline = plan.baseline;
  request.methods = {"all"};
  request.settings = plan.settings;
  for (const ChosenMethod& chosen : choose_methods(request.methods, plan.settings)) {
    if (!averages_over_baselines(chosen.method)) continue;
    request.method_noise[chosen.method.name] = noisy_baselines(row, kBaselineSigma, kBaselineDraws, run.running.seed());
  }
  request.metrics = plan.metrics;
  request.samples = plan.samples > 0 ? plan.samples : run.samples;
  request.batch = kBatch;
  if (plan.objects) request.most_box = std::nextafter(plan.largest, 0);
  const std::string part = plan.name.empty() ? network.name : fmt::format("{}-{}", network.name, plan.name);
  request.journal = run.journal(part);
  request.force = run.request.force;
  request.run.seed = run.running.seed();
  request.run.progress = run.progress(part);
  return request;
}

void count_images(ScoredNetwork& scored, const EvaluateResult& result) {
  scored.images = std::ssize(result.samples);
  scored.too_large = result.seen.large;
  scored.without_box = result.seen.boxless;
  for (const ScoredSample& sample : result.samples) {
    scored.correct += sample.facts.label == sample.facts.top ? 1 : 0;
    scored.covered += sample.facts.covered.value_or(0);
  }
  scored.covered /= static_cast<double>(scored.images);
}

// [metric][image]
std::vector<std::vector<double>> scores_of(const EvaluateResult& result, size_t method) {
  std::vector<std::vector<double>> scores(result.metrics.size());
  for (size_t k = 0; k < scores.size(); ++k) {
    for (const ScoredSample& sample : result.samples) {
      const Score score = sample.scores.at(method, k);
      scores[k].push_back(score.defined() ? score.value : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return scores;
}

ScoredNetwork score_network(const PaperRun& run, const Network& network, const ScorePlan& plan,
                            std::shared_ptr<Dataset> data, const std::vector<MethodPrinciples>& principles,
                            Reproduced& made) {
  const Subject subject = run.open(network, DType::f32);
  const Shape row = subject.explained({}).row();
  const EvaluateResult result = evaluate(subject, request_of(run, network, plan, std::move(data), row));
  ScoredNetwork scored;
  scored.name = network.name;
  scored.plan = plan;
  count_images(scored, result);
  for (size_t m = 0; m < principles.size(); ++m) {
    scored.methods.push_back({principles[m].method, principles[m].by_method.held(), result.summaries[m],
                              scores_of(result, m), result.methods[m].left_out});
    made.seconds[network.name + " " + result.methods[m].name] += result.methods[m].seconds;
  }
  for (const RatedMetric& metric : result.metrics) made.seconds[network.name + " " + metric.name] += metric.seconds;
  made.journals.push_back(result.journal);
  made.notes.insert(made.notes.end(), result.notes.begin(), result.notes.end());
  return scored;
}

}  // namespace

Json to_json(const ScorePlan& plan) {
  Json methods = Json::object(), metrics = Json::object();
  for (const ChosenMethod& chosen : choose_methods({"all"}, plan.settings)) {
    methods[chosen.method.name] = chosen.parameters.all();
  }
  for (const ChosenMetric& chosen : choose_metrics(plan.metrics, {})) {
    metrics[chosen.metric.name] = chosen.parameters.all();
  }
  return Json::object({{"players", plan.players},
                       {"baseline", plan.baseline},
                       {"baselines_of_prediction_difference_and_expected_gradients",
                        fmt::format("{} draws of N(0, {:g}^2) around it", kBaselineDraws, kBaselineSigma)},
                       {"images", plan.samples},
                       {"target", plan.target == "label" ? "class of the data" : "predicted class"},
                       {"groups_by", plan.medians ? "median" : "mean"},
                       {"largest_object", plan.largest},
                       {"metrics", metrics},
                       {"methods", methods}});
}

std::string plan_in_words(const ScorePlan& plan) {
  return fmt::format(
      "Logit of the {}. Prediction Difference and Expected Gradients average over {} baselines drawn from N(0, {:g}²) "
      "around the common one. Settings that are not the methods' defaults: `{}`. Intervals hold the mean with 95 % "
      "confidence (bootstrap over images, {} draws). The number of principles is what the audit measures (`table5`).\n",
      plan.target == "label" ? "class that the data give" : "predicted class", kBaselineDraws, kBaselineSigma,
      fmt::join(plan.settings, "`, `"), kBootstrapResamples);
}

std::string tests_in_words(const ScorePlan& plan) {
  return fmt::format(
      "Groups of methods with the same number of principles are compared image by image: a group's score on an image "
      "is "
      "the {} of its methods' there. Both tests are two-sided and of the paired differences (the sign test, and "
      "Wilcoxon's signed ranks), and p is corrected after Holm for all comparisons of a table. The group with one "
      "principle is a single method: what is found of it is found of that method.\n",
      plan.medians ? "median (one method of seven has values that would be all of a mean)" : "mean");
}

std::vector<ScoredNetwork> score_networks(const PaperRun& run, const std::shared_ptr<Dataset>& data,
                                          const std::function<std::vector<ScorePlan>(const Network&)>& plans_of,
                                          Reproduced& made) {
  const std::vector<MethodPrinciples> principles = measured_principles(choose_methods({"all"}, {}));
  std::vector<ScoredNetwork> networks;
  for (const Network& network : run.networks) {
    for (const ScorePlan& plan : plans_of(network)) {
      networks.push_back(score_network(run, network, plan, data, principles, made));
    }
  }
  return networks;
}

std::vector<WorkCost> costs_of_scores(const PaperRun& run, const std::shared_ptr<Dataset>& data,
                                      const std::function<std::vector<ScorePlan>(const Network&)>& plans_of) {
  std::vector<WorkCost> costs;
  for (const Network& network : run.networks) {
    const Subject subject = run.open(network, DType::f32);
    const Shape row = subject.explained({}).row();
    for (const ScorePlan& plan : plans_of(network)) {
      costs.push_back(cost_of_evaluation(subject, request_of(run, network, plan, data, row)));
    }
  }
  return costs;
}

// ---- in words ----

std::string score_text(double value) {
  if (!std::isfinite(value)) return "–";
  if (value != 0 && (std::abs(value) < 0.001 || std::abs(value) >= 1e5)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.4g}", value);
}

std::string interval_text(const Summary& summary, double unit) {
  if (summary.count == 0) return "–";
  const std::string mean = score_text(unit * summary.mean);
  if (summary.count == 1) return mean;
  return fmt::format("{} [{}, {}]", mean, score_text(unit * summary.low), score_text(unit * summary.high));
}

std::string title_of_metric(const std::string& metric) {
  std::string title = metric_named(metric).title;
  title[0] = ascii_lower(title[0]);
  return title;
}

std::vector<const ScoredMethod*> by_principles(const ScoredNetwork& network) {
  std::vector<const ScoredMethod*> order;
  for (const ScoredMethod& one : network.methods) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->principles > b->principles; });
  return order;
}

std::string left_out_text(const ScoredNetwork& network) {
  std::string text;
  for (const ScoredMethod& one : network.methods) {
    if (!one.left_out.empty()) text += fmt::format("\nLeft out: {}. {}\n", one.method.title, one.left_out);
  }
  return text;
}

std::string method_table(const ScoredNetwork& network, double unit) {
  Table table{{"method", "principles"}};
  for (const std::string& metric : network.plan.metrics) {
    table.head.push_back(title_of_metric(metric));
    table.head.push_back("median");
  }
  for (const ScoredMethod* one : by_principles(network)) {
    auto& row = table.rows.emplace_back(std::vector{one->method.title, std::to_string(one->principles)});
    for (const Summary& summary : one->summaries) {
      row.push_back(interval_text(summary, unit));
      row.push_back(summary.count == 0 ? "–" : score_text(unit * summary.median));
    }
  }
  return table.markdown();
}

std::string group_table(const ScoredNetwork& network, double unit, uint64_t seed) {
  Table table{{"principles satisfied", "methods"}};
  for (const std::string& metric : network.plan.metrics) {
    table.head.push_back("mean, " + title_of_metric(metric));
    table.head.push_back("median of the methods");
  }
  for (const GroupScore& group : group_scores(network, seed)) {
    auto& row = table.rows.emplace_back(std::vector{std::to_string(group.principles), std::to_string(group.methods)});
    for (size_t k = 0; k < network.plan.metrics.size(); ++k) {
      std::vector<double> means;
      for (const ScoredMethod& one : network.methods) {
        if (one.principles == group.principles && one.left_out.empty()) means.push_back(one.summaries[k].mean);
      }
      row.push_back(interval_text(group.by_metric[k], unit));
      row.push_back(score_text(unit * summarize({&means, 1}, 0)[0].median));
    }
  }
  return table.markdown();
}

std::string scores_csv(const std::vector<ScoredNetwork>& networks) {
  Table table{{"model", "players", "baseline", "method", "principles", "metric", "mean", "low", "high", "median",
               "standard_error", "images", "undefined", "left_out"}};
  for (const ScoredNetwork& network : networks) {
    for (const ScoredMethod& one : network.methods) {
      for (size_t k = 0; k < network.plan.metrics.size(); ++k) {
        const Summary& s = one.summaries[k];
        std::vector<std::string> row = {network.name,    network.plan.players,           network.plan.baseline,
                                        one.method.name, std::to_string(one.principles), network.plan.metrics[k]};
        for (const double value : {s.mean, s.low, s.high, s.median, s.standard_error}) {
          row.push_back(csv_if_finite(value, fmt::format("{:.6g}", value)));
        }
        row.push_back(std::to_string(s.count));
        row.push_back(std::to_string(s.undefined));
        row.push_back(one.left_out);
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table.csv();
}

ScatterPanel panel_of(const ScoredNetwork& network, size_t metric, double unit) {
  ScatterPanel panel;
  panel.title = network.name;
  std::vector<std::string> left_out;
  for (const ScoredMethod& one : network.methods) {
    const Summary& s = one.summaries[metric];
    if (s.count == 0) {
      left_out.push_back(one.method.title);
      continue;
    }
    panel.points.push_back({one.method.title, one.principles, unit * s.mean, unit * (s.count > 1 ? s.low : s.mean),
                            unit * (s.count > 1 ? s.high : s.mean)});
  }
  panel.remark = fmt::format("{} images", network.images);
  if (!left_out.empty()) panel.remark += fmt::format("; not possible here: {}", fmt::join(left_out, ", "));
  return panel;
}

}  // namespace ascribe::core::study::paper
