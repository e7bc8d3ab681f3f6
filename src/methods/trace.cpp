#include "methods/trace.h"

#include <fmt/ranges.h>

namespace ascribe::core {

namespace {

std::vector<std::string> tracing_methods() {
  std::vector<std::string> names;
  for (const std::string& name : method_names()) {
    if (method_named(name).traces) names.push_back(name);
  }
  return names;
}

double sum_of(const Tensor& values) {
  double sum = 0;
  for (int64_t i = 0; i < values.size(); ++i) sum += values.at(i);
  return sum;
}

}  // namespace

Trace trace(const Method& method, ExplainedModel& model, const Question& question, const Parameters& parameters,
            uint64_t seed, const Progress& progress) {
  if (!method.traces) {
    fail(ErrorKind::unsupported, method.name,
         "the method does not go back through the network node by node; only {} do",
         fmt::join(tracing_methods(), ", "));
  }
  const auto key = fmt::format("trace of {} {} {}", method.name, parameters.key(), seed);
  const auto nodes =
      model.kept<std::vector<TracedNode>>(key, [] { return std::make_shared<std::vector<TracedNode>>(); });
  const std::shared_ptr<Session> session = model.session(key, [&] {
    Explanation explanation = runnable_explanation(model, method, parameters, seed, true);
    *nodes = std::move(explanation.trace);
    return std::move(explanation.graph);
  });
  Trace found;
  for (const TracedNode& node : *nodes) found.steps.push_back({node});
  // Row by row: the sums are over all rows of a run.
  const int64_t rows = method.baselines ? question.baseline_count() : 1;
  const Tensor baselines = effective_baselines(model, question).cast(model.real());
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<Tensor> inputs = question.point;
    inputs.push_back(Tensor::of<int64_t>({1}, std::vector<int64_t>{question.target}));
    if (method.baselines) inputs.push_back(row_at(baselines, row, with_rows(model.row(), 1)));
    const std::vector<Tensor> outputs = model.run(*session, inputs, 1, progress);
    const auto part = 1.0 / static_cast<double>(rows);
    const auto& ports = session->graph().outputs;
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].name == "attribution") found.arrived += part * sum_of(outputs[i]);
      if (ports[i].name == "value") found.start += part * outputs[i].at(0);
      if (ports[i].name == "baseline_value") found.start -= part * outputs[i].at(0);
      if (ports[i].name != "trace") continue;
      for (size_t step = 0; step < found.steps.size(); ++step) {
        found.steps[step].received += part * outputs[i].at(static_cast<int64_t>(2 * step));
        found.steps[step].passed_on += part * outputs[i].at(static_cast<int64_t>(2 * step + 1));
      }
    }
  }
  return found;
}

}  // namespace ascribe::core
