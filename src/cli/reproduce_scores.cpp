#include "cli/reproduce_scores.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "metrics/object_mask.h"

namespace ascribe::core {

namespace {

constexpr size_t kBatch = 4;  // images between two lines of the journal

bool averages_over_baselines(const Method& method) {
  return method.name == "expected_gradients" || method.name == "prediction_difference";
}

std::vector<EvaluatedMethod> methods_of(const PaperRun& run, const ScorePlan& plan, const Shape& row) {
  std::vector<EvaluatedMethod> methods;
  for (const ChosenMethod& chosen : choose_methods({"all"}, plan.settings)) {
    EvaluatedMethod& one =
        methods.emplace_back(EvaluatedMethod{chosen.method, chosen.parameters, chosen.asked_for, {}});
    if (averages_over_baselines(chosen.method)) {
      one.baselines = noisy_baselines(row, kBaselineSigma, kBaselineDraws, run.request.general.seed);
    }
  }
  return methods;
}

std::vector<EvaluatedMetric> metrics_of(const ScorePlan& plan) {
  std::vector<EvaluatedMetric> metrics;
  for (const std::string& name : plan.metrics) {
    const Metric& metric = metric_named(name);
    metrics.push_back({metric, Parameters(metric.name, metric.parameters), true});
  }
  return metrics;
}

// Which images take part, and what is counted on the way.
class Selection {
 public:
  Selection(const ScorePlan& plan, ScoredNetwork& counts) : plan_(plan), counts_(counts) {}

  bool takes(const SampleQuestion& asked) {
    if (plan_.objects && asked.object.empty()) {
      ++counts_.without_box;
      return false;
    }
    if (plan_.objects && covered(asked.object) >= plan_.largest) {
      ++counts_.too_large;
      return false;
    }
    ++counts_.images;
    counts_.correct += asked.predicted == asked.label ? 1 : 0;
    if (plan_.objects) covered_ += covered(asked.object);
    counts_.covered = covered_ / static_cast<double>(counts_.images);
    return true;
  }

 private:
  const ScorePlan& plan_;
  ScoredNetwork& counts_;
  double covered_ = 0;
};

void score_images(const PaperRun& run, const Network& network, const ScorePlan& plan, Dataset& data,
                  SampleQuestions& asker, Experiment& experiment, ScoredNetwork& scored) {
  Selection selection(plan, scored);
  EvaluationBatch batch;
  const auto finish = [&] {
    experiment.add(batch, run.progress(fmt::format("{}, image {} of {}", network.name, scored.images, run.samples)));
    batch = {};
  };
  for (int64_t i = 0; i < data.size() && scored.images < run.samples; ++i) {
    SampleQuestion asked = asker.ask(data.read(i), plan.asked);
    if (!selection.takes(asked) || experiment.knows(static_cast<uint64_t>(i))) continue;
    batch.questions.push_back(std::move(asked.question));
    batch.streams.push_back(static_cast<uint64_t>(i));
    batch.names.push_back(std::move(asked.name));
    if (plan.objects) batch.objects.push_back(std::move(asked.object));
    if (batch.questions.size() == kBatch) finish();
  }
  if (!batch.questions.empty()) finish();
  if (scored.images == 0) fail(ErrorKind::io, run.request.data, "no image of these data can be used; see figure5b");
}

std::string number(double value) {
  if (!std::isfinite(value)) return "–";
  if (value != 0 && (std::abs(value) < 0.001 || std::abs(value) >= 1e5)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.4g}", value);
}

std::string interval(const Summary& summary, double unit) {
  if (summary.count == 0) return "–";
  return fmt::format("{} [{}, {}]", number(unit * summary.mean), number(unit * summary.low),
                     number(unit * summary.high));
}

std::string title_of(const std::string& metric) {
  std::string title = metric_named(metric).title;
  title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

}  // namespace

nlohmann::ordered_json as_json(const ScorePlan& plan) {
  nlohmann::ordered_json methods, metrics;
  for (const ChosenMethod& chosen : choose_methods({"all"}, plan.settings)) {
    methods[chosen.method.name] = chosen.parameters.all();
  }
  for (const EvaluatedMetric& one : metrics_of(plan)) metrics[one.metric.name] = one.parameters.all();
  return {{"players", plan.players},
          {"baseline", "zero"},
          {"baselines_of_prediction_difference_and_expected_gradients",
           fmt::format("{} draws of N(0, {:g}^2)", kBaselineDraws, kBaselineSigma)},
          {"target", plan.asked == AskedClass::labelled ? "class of the data" : "predicted class"},
          {"largest_object", plan.largest},
          {"metrics", metrics},
          {"methods", methods}};
}

std::string plan_in_words(const ScorePlan& plan) {
  return fmt::format(
      "Logit of the {}, baseline zero, players {}. Prediction Difference and Expected Gradients average over {} "
      "baselines drawn from N(0, {:g}²) around the common one. Settings that are not the methods' defaults: `{}`. "
      "Intervals hold the mean with 95 % confidence (bootstrap over images, {} draws). The number of principles is "
      "what the audit measures (`table4`).\n",
      plan.asked == AskedClass::labelled ? "class that the data give" : "predicted class", plan.players, kBaselineDraws,
      kBaselineSigma, fmt::join(plan.settings, "`, `"), kBootstrapResamples);
}

ScoredNetwork score_network(const PaperRun& run, const Network& network, const ScorePlan& plan, Dataset& data,
                            Reproduced& made) {
  ScoredNetwork scored;
  scored.name = network.name;
  SampleQuestions asker(run, network, DType::f32, plan.players);
  EvaluationOptions options;
  options.seed = run.request.general.seed;
  options.objects = plan.objects;
  options.journal = run.journal(network.name);
  options.force = run.request.folder.force;
  options.about = {{"model", network.hash},
                   {"plan", as_json(plan).dump()},
                   {"data", identity_of(data).dump()},
                   {"preprocess", run.request.preprocess}};
  Experiment experiment(asker.model(), methods_of(run, plan, asker.row()), metrics_of(plan), options);
  score_images(run, network, plan, data, asker, experiment, scored);
  const auto summaries = experiment.summaries();
  const auto principles = measured_principles(choose_methods({"all"}, {}));
  const auto missing = experiment.not_evaluated();
  for (size_t m = 0; m < principles.size(); ++m) {
    ScoredMethod& one = scored.methods.emplace_back(
        ScoredMethod{principles[m].method, principles[m].by_method.held(), summaries[m], {}});
    for (const NotEvaluated& left_out : missing) {
      if (left_out.name == one.method.name) one.left_out = left_out.reason;
    }
    made.seconds[network.name + " " + one.method.name] = experiment.method_seconds(m);
  }
  for (size_t k = 0; k < plan.metrics.size(); ++k) {
    made.seconds[network.name + " " + plan.metrics[k]] = experiment.metric_seconds(k);
  }
  made.journals.push_back(options.journal);
  made.notes.insert(made.notes.end(), asker.notes().begin(), asker.notes().end());
  return scored;
}

std::string method_table(const ScoredNetwork& network, const ScorePlan& plan, double unit) {
  TextTable table{{"method", "principles"}};
  for (const std::string& metric : plan.metrics) {
    table.head.push_back(title_of(metric));
    table.head.push_back("median");
  }
  std::vector<const ScoredMethod*> order;
  for (const ScoredMethod& one : network.methods) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->principles > b->principles; });
  for (const ScoredMethod* one : order) {
    auto& row = table.rows.emplace_back(std::vector{one->method.title, std::to_string(one->principles)});
    for (const Summary& summary : one->summaries) {
      row.push_back(interval(summary, unit));
      row.push_back(summary.count == 0 ? "–" : number(unit * summary.median));
    }
  }
  return table.markdown();
}

std::string group_table(const ScoredNetwork& network, const ScorePlan& plan, double unit) {
  TextTable table{{"principles satisfied", "methods"}};
  for (const std::string& metric : plan.metrics) {
    table.head.push_back("mean, " + title_of(metric));
    table.head.push_back("median of the methods");
  }
  std::set<int> groups;
  for (const ScoredMethod& one : network.methods) {
    if (one.left_out.empty()) groups.insert(one.principles);
  }
  for (const int group : groups) {
    std::vector<std::vector<double>> values(plan.metrics.size());
    for (const ScoredMethod& one : network.methods) {
      if (one.principles != group || !one.left_out.empty()) continue;
      for (size_t k = 0; k < values.size(); ++k) values[k].push_back(unit * one.summaries[k].mean);
    }
    auto& row = table.rows.emplace_back(std::vector{std::to_string(group), std::to_string(values[0].size())});
    for (const Summary& summary : summarize(values, 0)) {
      row.push_back(number(summary.mean));
      row.push_back(number(summary.median));
    }
  }
  return table.markdown();
}

std::string scores_csv(const std::vector<ScoredNetwork>& networks, const ScorePlan& plan) {
  TextTable table{{"model", "method", "principles", "metric", "mean", "low", "high", "median", "standard_error",
                   "images", "undefined", "left_out"}};
  for (const ScoredNetwork& network : networks) {
    for (const ScoredMethod& one : network.methods) {
      for (size_t k = 0; k < plan.metrics.size(); ++k) {
        const Summary& s = one.summaries[k];
        std::vector<std::string> row = {network.name, one.method.name, std::to_string(one.principles), plan.metrics[k]};
        for (const double value : {s.mean, s.low, s.high, s.median, s.standard_error}) {
          row.push_back(std::isfinite(value) ? fmt::format("{:.6g}", value) : "");
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

std::string left_out_text(const ScoredNetwork& network) {
  std::string text;
  for (const ScoredMethod& one : network.methods) {
    if (!one.left_out.empty()) text += fmt::format("\nLeft out: {}. {}\n", one.method.title, one.left_out);
  }
  return text;
}

ScatterPanel panel_of(const ScoredNetwork& network, double unit) {
  ScatterPanel panel;
  panel.title = network.name;
  std::vector<std::string> left_out;
  for (const ScoredMethod& one : network.methods) {
    const Summary& s = one.summaries[0];
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

}  // namespace ascribe::core
