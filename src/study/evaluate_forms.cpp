// What evaluate found as documents: JSON, tables, a page.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/finite.h"
#include "study/evaluate.h"

namespace ascribe::core::study {

namespace {

template <class T>
std::vector<size_t> shown(const std::vector<T>& all) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].left_out.empty()) indices.push_back(i);
  }
  return indices;
}

std::string csv_number(double value) { return csv_if_finite(value, fmt::format("{}", value)); }

std::string mean_cell(const Summary& summary, bool best) {
  if (summary.count == 0) return "-";
  const std::string mark = best ? " *" : "";
  if (summary.count == 1) return fmt::format("{:.4g}{}", summary.mean, mark);
  return fmt::format("{:.4g} [{:.3g}, {:.3g}]{}", summary.mean, summary.low, summary.high, mark);
}

Json summary_json(const Summary& summary, bool best) {
  return Json::object({{"samples", summary.count},
                       {"undefined", summary.undefined},
                       {"mean", summary.mean},
                       {"standard_error", summary.standard_error},
                       {"low", summary.low},
                       {"high", summary.high},
                       {"median", summary.median},
                       {"best", best}});
}

Json seen_json(const EvaluateResult& result) {
  const SamplesSeen& seen = result.seen;
  return Json::object({{"scored", result.samples.size()},
                       {"read", seen.read},
                       {"labelled", seen.labelled},
                       {"correct", seen.correct},
                       {"left_out_as_wrong", seen.wrong},
                       {"left_out_by_box", seen.large + seen.boxless},
                       {"left_out_as_failed", seen.failed}});
}

Json metrics_json(const EvaluateResult& result) {
  Json list = Json::list();
  for (const size_t k : result.metrics_shown()) {
    const RatedMetric& one = result.metrics[k];
    list.push(Json::object({{"name", one.name},
                            {"better", to_string(one.better)},
                            {"category", to_string(one.category)},
                            {"parameters", one.parameters},
                            {"seconds", one.seconds}}));
  }
  return list;
}

Json methods_json(const EvaluateResult& result) {
  Json list = Json::list();
  for (const size_t m : result.methods_shown()) {
    Json scores = Json::object();
    for (const size_t k : result.metrics_shown()) {
      scores[result.metrics[k].name] = summary_json(result.summaries[m][k], result.best(m, k));
    }
    const Rated& one = result.methods[m];
    list.push(Json::object(
        {{"name", one.name}, {"parameters", one.parameters}, {"seconds", one.seconds}, {"scores", std::move(scores)}}));
  }
  return list;
}

Json spectrum_json(const Spectrum& spectrum) {
  Json orders = Json::list();
  for (size_t k = 0; k < spectrum.orders.size(); ++k) {
    Json one = Json::object({{"players", k + 1}});
    one.update(summary_json(spectrum.orders[k], false));
    one.erase("best");
    orders.push(std::move(one));
  }
  return orders;
}

std::vector<LeftOut> left_out_of(const EvaluateResult& result) {
  std::vector<LeftOut> list;
  for (const Rated& one : result.methods) {
    if (!one.left_out.empty()) list.push_back({one.name, one.left_out});
  }
  for (const Rated& one : result.metrics) {
    if (!one.left_out.empty()) list.push_back({one.name, one.left_out});
  }
  return list;
}

}  // namespace

std::vector<size_t> EvaluateResult::methods_shown() const { return shown(methods); }
std::vector<size_t> EvaluateResult::metrics_shown() const { return shown(metrics); }

bool EvaluateResult::best(size_t method, size_t metric) const {
  const double mean = summaries[method][metric].mean;
  if (!std::isfinite(mean)) return false;
  return std::none_of(summaries.begin(), summaries.end(), [&](const std::vector<Summary>& other) {
    return metrics[metric].better == Better::higher ? other[metric].mean > mean : other[metric].mean < mean;
  });
}

Json to_json(const SamplesSeen& seen) {
  return Json::object({{"read", seen.read},
                       {"labelled", seen.labelled},
                       {"correct", seen.correct},
                       {"wrong", seen.wrong},
                       {"large", seen.large},
                       {"boxless", seen.boxless},
                       {"failed", seen.failed}});
}

Json to_json(const EvaluateResult& result) {
  const Json confidence =
      Json::object({{"level", 0.95}, {"resamples", kBootstrapResamples}, {"kind", "percentile bootstrap"}});
  Json json = Json::object({{"version", ASCRIBE_VERSION},
                            {"model", Json::object({{"path", result.model}, {"sha256", result.model_hash}})},
                            {"data", Json::object({{"path", result.data}, {"description", result.data_description}})},
                            {"samples", seen_json(result)},
                            {"settings", result.settings},
                            {"confidence", confidence},
                            {"metrics", metrics_json(result)},
                            {"methods", methods_json(result)},
                            {"left_out", left_out_of(result)},
                            {"notes", result.notes},
                            {"seconds", result.seconds}});
  if (result.planned) json["planned"] = *result.planned;
  if (result.spectrum) json["order_spectrum"] = spectrum_json(*result.spectrum);
  return json;
}

Table spectrum_table(const EvaluateResult& result) {
  Table table{{"players together", "share of the strength", "median"}};
  const std::vector<Summary>& orders = result.spectrum->orders;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  for (size_t k = 0; k < orders.size(); ++k) {
    const Summary& s = orders[k];
    std::string cell = percent(s.mean);
    if (s.count > 1) cell += fmt::format(" [{}, {}]", percent(s.low), percent(s.high));
    table.rows.push_back({std::to_string(k + 1), std::move(cell), percent(s.median)});
  }
  return table;
}

Table profiles_table(const EvaluateResult& result) {
  Table table{{"sample", "name", "label", "top", "target"}};
  for (size_t k = 1; k <= result.spectrum->orders.size(); ++k) table.head.push_back(fmt::format("players_{}", k));
  for (const ScoredSample& sample : result.samples) {
    const SampleFacts& facts = sample.facts;
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        std::to_string(sample.index), sample.name, facts.label < 0 ? "" : std::to_string(facts.label),
        std::to_string(facts.top), std::to_string(sample.target)});
    for (size_t k = 0; k < result.spectrum->orders.size(); ++k) {
      row.push_back(facts.profile.empty() ? "" : csv_number(k < facts.profile.size() ? facts.profile[k] : 0.0));
    }
  }
  return table;
}

Table summary_table(const EvaluateResult& result) {
  Table table{{"method", "metric", "better", "samples", "undefined", "mean", "standard_error", "low", "high", "median",
               "best"}};
  for (const size_t k : result.metrics_shown()) {
    for (const size_t m : result.methods_shown()) {
      const Summary& s = result.summaries[m][k];
      auto& row = table.rows.emplace_back(std::vector<std::string>{
          result.methods[m].name, result.metrics[k].name, std::string(to_string(result.metrics[k].better)),
          std::to_string(s.count), std::to_string(s.undefined)});
      for (const double value : {s.mean, s.standard_error, s.low, s.high, s.median}) row.push_back(csv_number(value));
      row.push_back(result.best(m, k) ? "1" : "0");
    }
  }
  if (result.spectrum) {
    for (size_t k = 0; k < result.spectrum->orders.size(); ++k) {
      const Summary& s = result.spectrum->orders[k];
      auto& row = table.rows.emplace_back(std::vector<std::string>{"", fmt::format("order_spectrum, order {}", k + 1),
                                                                   "neither", std::to_string(s.count),
                                                                   std::to_string(s.undefined)});
      for (const double value : {s.mean, s.standard_error, s.low, s.high, s.median}) row.push_back(csv_number(value));
      row.push_back("0");
    }
  }
  return table;
}

std::string scores_csv(const EvaluateResult& result) {
  const std::vector<size_t> methods = result.methods_shown(), metrics = result.metrics_shown();
  std::vector<std::string> head{"sample", "name", "label", "top", "target", "method"};
  for (const size_t k : metrics) head.push_back(result.metrics[k].name);
  std::string text = csv_line(head);
  for (const ScoredSample& sample : result.samples) {
    for (const size_t m : methods) {
      const SampleFacts& facts = sample.facts;
      std::vector<std::string> row{std::to_string(sample.index),
                                   sample.name,
                                   facts.label < 0 ? "" : std::to_string(facts.label),
                                   std::to_string(facts.top),
                                   std::to_string(sample.target),
                                   result.methods[m].name};
      for (const size_t k : metrics) row.push_back(csv_number(sample.scores.value(m, k)));
      text += csv_line(row);
    }
  }
  return text;
}

Table means_table(const EvaluateResult& result, std::span<const size_t> metrics) {
  Table table{{"method"}};
  for (const size_t k : metrics) {
    const RatedMetric& metric = result.metrics[k];
    table.head.push_back(fmt::format("{} {}", metric.name, metric.better == Better::higher ? "↑" : "↓"));
  }
  for (const size_t m : result.methods_shown()) {
    auto& row = table.rows.emplace_back(std::vector{result.methods[m].name});
    for (const size_t k : metrics) row.push_back(mean_cell(result.summaries[m][k], result.best(m, k)));
  }
  return table;
}

std::string samples_text(const EvaluateResult& result) {
  const SamplesSeen& seen = result.seen;
  std::string text = fmt::format("{} samples", result.samples.size());
  if (seen.labelled > 0) {
    text += fmt::format("; the model gets {} of {} right ({:.1f} %)", seen.correct, seen.labelled,
                        100.0 * static_cast<double>(seen.correct) / static_cast<double>(seen.labelled));
  }
  if (seen.wrong > 0) text += fmt::format("; {} that it gets wrong left out", seen.wrong);
  if (const int64_t boxes = seen.large + seen.boxless; boxes > 0) {
    text += fmt::format("; {} with too large a box, or none, left out", boxes);
  }
  if (seen.failed > 0) text += fmt::format("; {} that cannot be asked about left out", seen.failed);
  return text;
}

std::vector<std::string> gaps_of(const EvaluateResult& result) {
  std::vector<std::string> texts;
  for (const LeftOut& one : left_out_of(result)) {
    texts.push_back(fmt::format("{} is left out: {}", one.method, one.reason));
  }
  if (result.spectrum && result.spectrum->undefined > 0) {
    texts.push_back(
        fmt::format("order_spectrum: {} of {} samples have no score; nothing that a player does is beyond "
                    "rounding there",
                    result.spectrum->undefined, result.samples.size()));
  }
  for (const size_t k : result.metrics_shown()) {
    for (const size_t m : result.methods_shown()) {
      const int64_t undefined = result.summaries[m][k].undefined;
      if (undefined == 0) continue;
      const auto first = std::find_if(result.samples.begin(), result.samples.end(),
                                      [&](const ScoredSample& one) { return !one.scores.at(m, k).defined(); });
      texts.push_back(fmt::format("{} of {}: {} of {} samples have no score; {}", result.metrics[k].name,
                                  result.methods[m].name, undefined, result.samples.size(),
                                  first->scores.at(m, k).undefined));
    }
  }
  return texts;
}

std::string to_markdown(const EvaluateResult& result) {
  std::string text = fmt::format("# {} on {}\n\n{}: {}. Means with 95 % confidence intervals",
                                 std::filesystem::path(result.model).filename().string(), result.data,
                                 result.data_description, samples_text(result));
  if (result.metrics.empty()) text += ".\n\n";
  else
    text += fmt::format("; ↑ higher is better, ↓ lower is better, * best mean.\n\n{}\n",
                        means_table(result, result.metrics_shown()).markdown());
  if (result.spectrum) text += spectrum_table(result).markdown() + "\n";
  for (const std::string& gap : gaps_of(result)) text += fmt::format("- {}\n", gap);
  return text;
}

}  // namespace ascribe::core::study
