// The journal of an evaluation: lines behind the right first one, and any file in its place. What is remembered of
// accepted lines is finite.
#include <cmath>

#include "fuzz/target.h"
#include "metrics/evaluation.h"
#include "support/study_room.h"

namespace ascribe::core::fuzz::target_journal {
namespace {

EvaluatedMethod method(const std::string& name) {
  const Method& one = method_named(name);
  return {one, Parameters(name, one.parameters, {}), true};
}

EvaluatedMetric metric(const std::string& name) {
  const Metric& one = metric_named(name);
  return {one, Parameters(name, one.parameters, {}), true};
}

Experiment experiment(const std::string& journal) {
  static ExplainedModel model = in_double(study_room());
  EvaluationOptions options;
  options.journal = journal;
  options.about = Json::object({{"data", "rooms"}});
  return {model, {method("gradient_x_input")}, {metric("completeness"), metric("sparseness")}, options};
}

void open(const std::string& bytes) {
  const Experiment one = experiment(scratch_file("journal.jsonl", bytes));
  one.summaries();
  for (const auto& [number, sample] : one.samples()) {
    for (size_t metric = 0; metric < one.metrics().size(); ++metric) {
      const Score score = sample.scores.at(0, metric);
      hold(!score.defined() || std::isfinite(score.value), "scores are finite");
    }
  }
}

void feed(Bytes bytes) {
  static const std::string first = experiment("").fingerprint().dump(-1) + '\n';
  const std::string text = text_of(bytes);
  try {
    open(text);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
  open(first + text);
}

const RegisterTarget registered({"journal", "journals of evaluations", Form::json_lines, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_journal
