// What ascribe evaluate prints and writes: means with confidence intervals, and the scores of every sample.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ranges.h>

#include "cli/evaluate.h"
#include "cli/output_file.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Summaries = std::vector<std::vector<Summary>>;

constexpr size_t kMetricsAcross = 4;  // columns that fit a terminal
constexpr std::string_view kFiles[] = {"scores.csv", "summary.csv", "summary.md", "results.json"};

bool to_file(const EvaluateRequest& request) {
  return request.file.path.ends_with(".csv") || request.file.path.ends_with(".json");
}

std::string_view arrow(const Metric& metric) { return metric.better == Better::higher ? "↑" : "↓"; }

// Methods and metrics with scores.
std::vector<size_t> methods_shown(const Experiment& experiment) {
  std::vector<size_t> shown;
  for (size_t m = 0; m < experiment.methods().size(); ++m) {
    if (!experiment.left_out(m)) shown.push_back(m);
  }
  return shown;
}

std::vector<size_t> metrics_shown(const Experiment& experiment) {
  std::vector<size_t> shown;
  for (size_t k = 0; k < experiment.metrics().size(); ++k) {
    if (!experiment.metric_left_out(k)) shown.push_back(k);
  }
  return shown;
}

// Whether no method has a better mean.
bool is_best(const Summaries& summaries, size_t method, size_t metric, Better better) {
  const double mean = summaries[method][metric].mean;
  if (!std::isfinite(mean)) return false;
  return std::none_of(summaries.begin(), summaries.end(), [&](const std::vector<Summary>& other) {
    return better == Better::higher ? other[metric].mean > mean : other[metric].mean < mean;
  });
}

std::string cell(const Summary& summary, bool best) {
  if (summary.count == 0) return "-";
  const std::string mark = best ? " *" : "";
  if (summary.count == 1) return fmt::format("{:.4g}{}", summary.mean, mark);
  return fmt::format("{:.4g} [{:.3g}, {:.3g}]{}", summary.mean, summary.low, summary.high, mark);
}

// A line for each method and a column for some of the metrics.
std::vector<std::vector<std::string>> table(const Experiment& experiment, const Summaries& summaries,
                                            std::span<const size_t> metrics) {
  std::vector<std::vector<std::string>> lines = {{"method"}};
  for (const size_t k : metrics) {
    const Metric& metric = experiment.metrics()[k].metric;
    lines[0].push_back(fmt::format("{} {}", metric.name, arrow(metric)));
  }
  for (const size_t m : methods_shown(experiment)) {
    std::vector<std::string>& line = lines.emplace_back();
    line.push_back(experiment.methods()[m].method.name);
    for (const size_t k : metrics) {
      const Better better = experiment.metrics()[k].metric.better;
      line.push_back(cell(summaries[m][k], is_best(summaries, m, k, better)));
    }
  }
  return lines;
}

// Why samples have no score, the first reason for each method and metric.
std::vector<std::string> undefined_scores(const Experiment& experiment, const Summaries& summaries) {
  std::vector<std::string> texts;
  for (const size_t k : metrics_shown(experiment)) {
    for (const size_t m : methods_shown(experiment)) {
      if (summaries[m][k].undefined == 0) continue;
      const auto& samples = experiment.samples();
      const auto first = std::find_if(samples.begin(), samples.end(),
                                      [&](const auto& one) { return !one.second.scores[m][k].defined(); });
      texts.push_back(fmt::format("{} of {}: {} of {} samples have no score; {}", experiment.metrics()[k].metric.name,
                                  experiment.methods()[m].method.name, summaries[m][k].undefined, samples.size(),
                                  first->second.scores[m][k].undefined));
    }
  }
  return texts;
}

std::string samples_text(const EvaluateAnswer& answer) {
  const SamplesSeen& seen = answer.seen;
  std::string text = fmt::format("{} samples", answer.experiment.samples().size());
  if (seen.labelled > 0) {
    text += fmt::format("; the model gets {} of {} read right ({:.1f} %)", seen.correct, seen.labelled,
                        100.0 * static_cast<double>(seen.correct) / static_cast<double>(seen.labelled));
  }
  if (seen.wrong > 0) text += fmt::format("; {} that it gets wrong left out", seen.wrong);
  if (seen.large > 0) text += fmt::format("; {} with too large a box, or none, left out", seen.large);
  return text;
}

// ---- documents ----

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json summary_as_json(const Summary& summary, bool best) {
  return {{"samples", summary.count},         {"undefined", summary.undefined},
          {"mean", number(summary.mean)},     {"standard_error", number(summary.standard_error)},
          {"low", number(summary.low)},       {"high", number(summary.high)},
          {"median", number(summary.median)}, {"best", best}};
}

Json parameters_as_json(const Parameters& parameters) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters.all()) json[name] = value;
  return json;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",;\"\n\r\t") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string summary_csv(const Experiment& experiment) {
  const Summaries summaries = experiment.summaries();
  std::string text = "method,metric,better,samples,undefined,mean,standard_error,low,high,median,best\n";
  for (const size_t k : metrics_shown(experiment)) {
    const Metric& metric = experiment.metrics()[k].metric;
    for (const size_t m : methods_shown(experiment)) {
      const Summary& s = summaries[m][k];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", experiment.methods()[m].method.name, metric.name,
                          to_string(metric.better), s.count, s.undefined, csv_number(s.mean),
                          csv_number(s.standard_error), csv_number(s.low), csv_number(s.high), csv_number(s.median),
                          is_best(summaries, m, k, metric.better) ? 1 : 0);
    }
  }
  return text;
}

// A line for each sample and method, a column for each metric.
std::string scores_csv(const Experiment& experiment) {
  std::string text = "sample,name,label,top,target,method";
  for (const size_t k : metrics_shown(experiment)) text += "," + experiment.metrics()[k].metric.name;
  text += "\n";
  for (const auto& [stream, sample] : experiment.samples()) {
    const auto kept = [&](const char* key) { return sample.kept.contains(key) ? sample.kept.at(key).dump() : ""; };
    for (const size_t m : methods_shown(experiment)) {
      text += fmt::format("{},{},{},{},{},{}", stream, csv_cell(sample.name), kept("label"), kept("top"), sample.target,
                          experiment.methods()[m].method.name);
      for (const size_t k : metrics_shown(experiment)) text += "," + csv_number(sample.scores[m][k].value);
      text += "\n";
    }
  }
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string summary_markdown(const EvaluateAnswer& answer, const EvaluateRequest& request) {
  const Experiment& experiment = answer.experiment;
  const Summaries summaries = experiment.summaries();
  const auto lines = table(experiment, summaries, metrics_shown(experiment));
  std::string text = fmt::format(
      "# {} on {}\n\n{}: {}. Means with 95 % confidence intervals; ↑ higher is better, "
      "↓ lower is better, * best mean.\n\n",
      printable(std::filesystem::path(request.model.path).filename().string()), printable(request.data), answer.data,
      samples_text(answer));
  text += markdown_row(lines[0]);
  text += markdown_row(std::vector<std::string>(lines[0].size(), "---"));
  for (size_t i = 1; i < lines.size(); ++i) text += markdown_row(lines[i]);
  text += "\n";
  for (const NotEvaluated& one : experiment.not_evaluated())
    text += fmt::format("- {} is left out: {}\n", one.name, one.reason);
  for (const std::string& one : undefined_scores(experiment, summaries)) text += fmt::format("- {}\n", one);
  return text;
}

std::string document(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

Json evaluation_as_json(const EvaluateAnswer& answer, const EvaluateRequest& request) {
  const Experiment& experiment = answer.experiment;
  const Summaries summaries = experiment.summaries();
  Json settings = experiment.fingerprint();
  settings.erase("ascribe_journal");
  Json json = {{"version", ASCRIBE_VERSION},
               {"model", {{"path", request.model.path}, {"sha256", answer.model_hash}}},
               {"data", {{"path", request.data}, {"description", answer.data}}},
               {"samples",
                {{"scored", experiment.samples().size()},
                 {"read", answer.seen.read},
                 {"labelled", answer.seen.labelled},
                 {"correct", answer.seen.correct},
                 {"left_out_as_wrong", answer.seen.wrong},
                 {"left_out_by_box", answer.seen.large}}},
               {"settings", std::move(settings)},
               {"confidence", {{"level", 0.95}, {"resamples", kBootstrapResamples}, {"kind", "percentile bootstrap"}}}};
  for (const size_t k : metrics_shown(experiment)) {
    const EvaluatedMetric& one = experiment.metrics()[k];
    json["metrics"].push_back({{"name", one.metric.name},
                               {"better", to_string(one.metric.better)},
                               {"category", to_string(one.metric.category)},
                               {"parameters", parameters_as_json(one.parameters)},
                               {"seconds", experiment.metric_seconds(k)}});
  }
  for (const size_t m : methods_shown(experiment)) {
    const EvaluatedMethod& one = experiment.methods()[m];
    Json scores = Json::object();
    for (const size_t k : metrics_shown(experiment)) {
      const Metric& metric = experiment.metrics()[k].metric;
      scores[metric.name] = summary_as_json(summaries[m][k], is_best(summaries, m, k, metric.better));
    }
    json["methods"].push_back({{"name", one.method.name},
                               {"parameters", parameters_as_json(one.parameters)},
                               {"seconds", experiment.method_seconds(m)},
                               {"scores", std::move(scores)}});
  }
  json["left_out"] = Json::array();
  for (const NotEvaluated& one : experiment.not_evaluated()) {
    json["left_out"].push_back({{"name", one.name}, {"reason", one.reason}});
  }
  json["notes"] = answer.notes;
  json["seconds"] = answer.seconds;
  return json;
}

void print_evaluation(const EvaluateAnswer& answer, const EvaluateRequest& request) {
  const Experiment& experiment = answer.experiment;
  const Summaries summaries = experiment.summaries();
  fmt::print("{} on {} ({})\n", printable(std::filesystem::path(request.model.path).filename().string()),
             printable(request.data), answer.data);
  fmt::print("{}\n", samples_text(answer));
  const std::vector<size_t> metrics = metrics_shown(experiment);
  for (size_t first = 0; first < metrics.size(); first += kMetricsAcross) {
    fmt::print("\n");
    print_columns(table(experiment, summaries,
                        std::span(metrics).subspan(first, std::min(kMetricsAcross, metrics.size() - first))));
  }
  fmt::print("\nmean [95 % confidence interval]; ↑ higher is better, ↓ lower is better, * best mean\n");
  for (const NotEvaluated& one : experiment.not_evaluated()) {
    fmt::print("{} is left out: {}\n", one.name, printable(one.reason));
  }
  for (const std::string& one : undefined_scores(experiment, summaries)) fmt::print("{}\n", printable(one));
  if (!request.file.path.empty()) fmt::print("written to {}\n", printable(request.file.path));
}

void check_evaluation_files(const EvaluateRequest& request) {
  if (request.file.path.empty()) return;
  if (to_file(request)) return check_output(request.file, {".csv", ".json"});
  check_output_folder(request.file, {std::begin(kFiles), std::end(kFiles)});
}

void write_evaluation(const EvaluateAnswer& answer, const EvaluateRequest& request) {
  const std::string& path = request.file.path;
  if (path.empty()) return;
  if (path.ends_with(".csv")) return write_output(request.file, summary_csv(answer.experiment));
  const std::string results = document(evaluation_as_json(answer, request));
  if (path.ends_with(".json")) return write_output(request.file, results);
  write_output_folder(request.file, {{"scores.csv", scores_csv(answer.experiment)},
                                     {"summary.csv", summary_csv(answer.experiment)},
                                     {"summary.md", summary_markdown(answer, request)},
                                     {"results.json", results}});
}

}  // namespace ascribe::core
