#include "study/records/result_findings.h"

#include <algorithm>
#include <cmath>

#include "base/sha256.h"

namespace ascribe::core::study {

namespace {

constexpr int kDigitsOfReports = 6;  // study/document.h

double scale_of(double output, double baseline_output) { return std::max(std::abs(output), std::abs(baseline_output)); }

std::vector<double> doubles_of(const Tensor& values) {
  std::vector<double> list;
  list.reserve(static_cast<size_t>(values.size()));
  for (int64_t i = 0; i < values.size(); ++i) list.push_back(values.at(i));
  return list;
}

void tell_attribution(Findings& findings, const std::string& part, const Attribution& a, const Players& players,
                      const Fineness& fineness) {
  findings.numbers(part, a.values, players.names, fineness);
  if (!a.of_players && a.elements.size() != std::ssize(a.values)) {
    findings.numbers(part + ", elements", doubles_of(a.elements), {}, fineness);
  }
  if (!a.standard_errors.empty())
    findings.numbers(part + ", standard errors", a.standard_errors, players.names, fineness);
  findings.numbers(part + ", f(b) and residual", std::vector{a.baseline_output, a.residual}, {"f(b)", "residual"},
                   fineness);
}

void tell_allocation(Findings& findings, const std::string& part, const SetAllocation& allocation,
                     const Fineness& fineness) {
  findings.numbers(part + ", shares of effects", allocation.values, {}, fineness);
  findings.numbers(part + ", effects", allocation.effects, {}, fineness);
}

// What was chosen for the question, by whomever.
std::vector<std::string> question_words(const RowQuestion& question) {
  std::vector<std::string> words = {question.about, question.explains, question.players.description,
                                    question.baselines_text()};
  if (question.picture && question.picture->preprocess) words.push_back(describe(*question.picture->preprocess));
  return words;
}

Json parameters_json(const auto& methods, const auto& name, const auto& parameters) {
  Json json = Json::object();
  for (const auto& one : methods) json[name(one)] = parameters(one);
  return json;
}

}  // namespace

void tell(Findings& findings, const PredictResult& result) {
  for (const Prediction& one : result.predictions) {
    findings.numbers(fmt::format("output {}", one.name), doubles_of(one.values));
  }
}

void tell(Findings& findings, const ExplainResult& result) {
  for (size_t r = 0; r < result.rows.size(); ++r) {
    const RowQuestion& question = result.rows[r];
    const RowValues& values = result.values[r];
    const Fineness outputs{scale_of(values.output, values.baseline_output), 0, 0};
    const std::string row = fmt::format("row {}", r);
    findings.numbers(row + ", outputs", std::vector{values.output, values.baseline_output}, {"f(x)", "f(b)"});
    findings.words(row + ", question", question_words(question));
    for (const MethodAnswer& method : result.methods) {
      const std::string part = fmt::format("{}, {}", row, method.name());
      tell_attribution(findings, part, method.attributions[r], question.players,
                       method.shares() ? outputs : Fineness{});
      if (!method.allocations.empty()) tell_allocation(findings, part, method.allocations[r], outputs);
      if (method.traces.empty()) continue;
      std::vector<double> steps;
      for (const TraceStep& step : method.traces[r].steps) steps.insert(steps.end(), {step.received, step.passed_on});
      findings.numbers(part + ", way back", steps, {}, outputs);
    }
  }
}

void tell(Findings& findings, const DecomposeResult& result) {
  const Fineness fineness{scale_of(result.summary.output, result.summary.baseline_output), 0, 0};
  for (const auto& [name, values] : arrays_of(result)) {
    if (name == "owner" || name == "x" || name == "baselines") continue;  // the question, not the answer
    const bool players = values.size() == std::ssize(result.question.players.names);
    findings.numbers(name, doubles_of(values), players ? result.question.players.names : std::vector<std::string>(),
                     fineness);
  }
  Json rest = to_json(result);
  for (const char* key : {"effects", "index", "and_or", "taylor"}) rest.erase(key);
  tell_json(findings, "summary", rest, fineness);
}

void tell(Findings& findings, const CompareResult& result) {
  const Fineness fineness{scale_of(result.values.output, result.values.baseline_output), 0, 0};
  const std::vector<std::string>& players = result.question.players.names;
  for (size_t i = 0; i < 2; ++i) {
    const SetAllocation& one = i == 0 ? result.first : result.second;
    findings.numbers(result.name(i), i == 0 ? result.comparison.first : result.comparison.second, players, fineness);
    if (!result.by_player) tell_allocation(findings, result.name(i), one, fineness);
  }
  findings.numbers("comparison",
                   std::vector{result.comparison.difference, result.comparison.correlation, result.effects},
                   {"difference", "cosine", "effects"}, fineness);
  findings.numbers("by the number of players", result.comparison.share_by_size);
  const Json json = to_json(result, 0);
  if (const Json* estimated = json.find("estimated")) tell_json(findings, "estimated", *estimated, fineness);
}

void tell(Findings& findings, const AuditResult& result) {
  const Fineness fineness{scale_of(result.output, result.baseline_output), 0, 0};
  for (const AuditedAllocation& one : result.methods) {
    tell_allocation(findings, one.chosen.method.name, one.allocation, fineness);
  }
  tell_json(findings, "audit", to_json(result), fineness);
}

void tell(Findings& findings, const VerifyResult& result) { tell_json(findings, "verify", to_json(result)); }

void tell(Findings& findings, const EvaluateResult& result) {
  std::vector<std::string> names;
  for (const ScoredSample& sample : result.samples) names.push_back(fmt::format("sample {}", sample.index));
  for (const size_t m : result.methods_shown()) {
    for (const size_t k : result.metrics_shown()) {
      std::vector<double> scores;
      for (const ScoredSample& sample : result.samples) scores.push_back(sample.scores.value(m, k));
      findings.numbers(fmt::format("{}, {}", result.methods[m].name, result.metrics[k].name), scores, names);
    }
  }
  std::vector<double> targets, tops;
  for (const ScoredSample& sample : result.samples) {
    targets.push_back(static_cast<double>(sample.target));
    tops.push_back(static_cast<double>(sample.facts.top));
  }
  findings.numbers("targets", targets, names);
  findings.numbers("what the model says", tops, names);
  Json rest = to_json(result);
  for (const char* key : {"metrics", "data"}) rest.erase(key);
  tell_json(findings, "summary", rest);
}

void tell(Findings& findings, const CompileResult& result) {
  findings.words("file", {sha256(result.bytes), fmt::format("{} bytes", result.bytes.size())});
}

void tell(Findings& findings, const document::Document& document) {
  Json json = to_json(document);
  for (size_t r = 0; r < document.rows.size(); ++r) {
    const document::Row& row = document.rows[r];
    const Fineness fineness{scale_of(row.output.value_or(0), row.baseline_output.value_or(0)), 0, kDigitsOfReports};
    tell_json(findings, fmt::format("row {}", r), json["rows"].items()[r], fineness);
  }
}

void tell(Findings& findings, const document::DatasetDocument& document) {
  Json json = to_json(document);
  const document::Outputs& outputs = document.outputs;
  const Fineness fineness{scale_of(outputs.least.value_or(0), outputs.most.value_or(0)), 0, kDigitsOfReports};
  tell_json(findings, "", json, fineness);
}

// ---- parameters ----

Json parameters_of(const ExplainResult& result) {
  return Json::object({{"methods", parameters_json(
                                       result.methods, [](const MethodAnswer& one) { return one.name(); },
                                       [](const MethodAnswer& one) { return one.chosen.parameters.all(); })}});
}

Json parameters_of(const CompareResult& result) {
  return Json::object({{"methods", parameters_json(
                                       result.methods, [](const ChosenMethod& one) { return one.method.name; },
                                       [](const ChosenMethod& one) { return one.parameters.all(); })}});
}

Json parameters_of(const AuditResult& result) {
  return Json::object(
      {{"methods", parameters_json(
                       result.methods, [](const AuditedAllocation& one) { return one.chosen.method.name; },
                       [](const AuditedAllocation& one) { return one.parameters.all(); })}});
}

Json parameters_of(const EvaluateResult& result) {
  const auto name = [](const Rated& one) { return one.name; };
  const auto parameters = [](const Rated& one) { return one.parameters; };
  return Json::object({{"methods", parameters_json(result.methods, name, parameters)},
                       {"metrics", parameters_json(result.metrics, name, parameters)}});
}

Json parameters_of(const document::Document& document) {
  const auto name = [](const auto& one) { return one.name; };
  const auto parameters = [](const auto& one) { return Json(one.parameters); };
  const document::Row& row = document.rows[0];  // all rows are asked alike
  return Json::object({{"methods", parameters_json(row.methods, name, parameters)},
                       {"metrics", parameters_json(row.metrics, name, parameters)}});
}

Json parameters_of(const document::DatasetDocument& document) {
  return Json::object({{"methods", parameters_json(
                                       document.methods, [](const auto& one) { return one.name; },
                                       [](const auto& one) { return Json(one.parameters); })}});
}

}  // namespace ascribe::core::study
