#include "methods/explained_model.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "methods/compile.h"
#include "methods/method.h"
#include "passes/narrowed.h"
#include "passes/needed_places.h"

namespace ascribe::core {

size_t explained_input(const Graph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const bool real = graph[graph.inputs[i].value].type.kind == Kind::real;
    if (real && (name.empty() || graph.inputs[i].name == name)) return i;
    if (real) names.push_back(graph.inputs[i].name);
  }
  if (names.empty()) fail(ErrorKind::unsupported, "inputs", "the model has no real input to explain");
  fail(ErrorKind::argument, "input", "the model has no real input '{}'; {}", name, expected_one_of(name, names));
}

namespace {

void check_targets(std::span<const int64_t> targets, int64_t rows, int64_t count) {
  require(std::ssize(targets) == rows || targets.size() == 1, "targets", "expected one for each row");
  for (const int64_t target : targets) {
    if (target < 0 || target >= count) {
      fail(ErrorKind::argument, "target", "there is no target {}; expected 0 to {}", target, count - 1);
    }
  }
}

// Element `targets[r]` of each row r.
std::vector<double> picked(const Tensor& outputs, std::span<const int64_t> targets, int64_t rows) {
  const int64_t count = outputs.size() / std::max<int64_t>(rows, 1);
  std::vector<double> values;
  for (int64_t r = 0; r < rows; ++r) {
    values.push_back(outputs.at(r * count + targets[targets.size() == 1 ? 0 : static_cast<size_t>(r)]));
  }
  return values;
}

// A place of an output that has many, each of many numbers: only this one is computed.
struct TargetPlace {
  int64_t place = 0;
  int64_t target = 0;  // at the place

  std::shared_ptr<Session> session(ExplainedModel& model) const {
    return model.session(fmt::format("forward at {}", place), [&] { return narrowed(model.graph(), 1, 1, place); });
  }
};

// Where one target of a large output is; nothing: all of the output is computed.
std::optional<TargetPlace> place_of(const Graph& graph, int64_t count, std::span<const int64_t> targets) {
  constexpr int64_t kManyTargets = 1 << 17;
  const Dims& shape = graph[graph.outputs[1].value].type.shape;
  if (targets.size() != 1 || count < kManyTargets || shape.size() != 3 || !shape[2].is_fixed()) return std::nullopt;
  return TargetPlace{targets[0] / shape[2].fixed, targets[0] % shape[2].fixed};
}

}  // namespace

Tensor effective_baselines(const ExplainedModel& model, const Question& question) {
  const std::vector<int32_t>& owner = question.players.owner;
  if (std::find(owner.begin(), owner.end(), -1) == owner.end()) return question.baselines;
  Tensor baselines = question.baselines;
  const Tensor x = question.point[model.input()].cast(DType::f64);
  const auto from = x.data<double>();
  const auto to = baselines.mutable_data<double>();
  for (size_t i = 0; i < to.size(); ++i) {
    if (owner[i % owner.size()] < 0) to[i] = from[i % owner.size()];
  }
  return baselines;
}

ExplainedModel::ExplainedModel(Model model, ExplainOptions options)
    : model_(std::move(model)),
      options_(std::move(options)),
      real_(options_.real.value_or(model_.precision())),
      graph_(only_needed_places(with_explained(model_.graph(), options_, notes_))),
      input_(explained_input(graph_, options_.input)),
      targets_(target_count(graph_, graph_.outputs[1])) {
  const Dims& shape = graph_[graph_.inputs[input_].value].type.shape;
  row_ = rows_in(shape).row;
  batched_ = !all_fixed(shape);
}

static ExplainOptions with_sigmoid(ExplainOptions options) {
  options.keep_sigmoid = true;
  return options;
}

ExplainedModel::ExplainedModel(Graph graph, ExplainOptions options)
    : ExplainedModel(Model::of(std::move(graph), {.precision = options.real}), with_sigmoid(options)) {}

std::string ExplainedModel::own(const std::string& key) const {
  return fmt::format(
      "{}{} of '{}'{}, {}", options_.probability ? "probability: " : "", key, options_.output,
      options_.readout ? " read by " + options_.readout->key : "",
      options_.input.empty() ? to_string(real_) : fmt::format("'{}', {}", options_.input, to_string(real_)));
}

std::shared_ptr<Session> ExplainedModel::session(const std::string& key, const std::function<Graph()>& make) {
  return model_.session(own(key), real_, make);
}

int64_t ExplainedModel::row_count(std::span<const Tensor> rows) const {
  return rows[input_].size() / element_count(row_);
}

std::shared_ptr<Session> ExplainedModel::forward() {
  return session("forward", [&] {
    Graph graph = graph_;
    graph.outputs.erase(graph.outputs.begin());
    graph.drop_unread();
    return graph;
  });
}

std::vector<double> ExplainedModel::values(std::span<const Tensor> rows, std::span<const int64_t> targets,
                                           const Progress& progress) {
  const int64_t count = row_count(rows);
  check_targets(targets, count, targets_);
  if (const auto place = place_of(graph_, targets_, targets)) {
    return picked(run(*place->session(*this), rows, count, progress)[0], std::array{place->target}, count);
  }
  return picked(run(*forward(), rows, count, progress)[0], targets, count);
}

Tensor ExplainedModel::outputs(std::span<const Tensor> rows, const Progress& progress) {
  return run(*forward(), rows, row_count(rows), progress)[0];
}

ExplainedModel::Gradients ExplainedModel::gradients(std::span<const Tensor> rows, std::span<const int64_t> targets,
                                                    const Progress& progress) {
  const int64_t count = row_count(rows);
  check_targets(targets, count, targets_);
  const std::shared_ptr<Session> gradient = session("gradient", [&] {
    const Method& method = method_named("gradient");
    return runnable_explanation(*this, method, Parameters(method.name, method.parameters)).graph;
  });
  std::vector<Tensor> inputs(rows.begin(), rows.end());
  inputs.push_back(Tensor::of<int64_t>({std::ssize(targets)}, std::vector<int64_t>(targets.begin(), targets.end())));
  const std::vector<Tensor> outputs = run(*gradient, inputs, count, progress);
  const std::array<int64_t, 1> only = {0};
  return {outputs[0], picked(outputs[1], only, count)};
}

double ExplainedModel::baseline_output(const Question& question, const Progress& progress) {
  const Tensor baselines = effective_baselines(*this, question);
  const bool alone = graph_.inputs.size() == 1;  // other inputs could differ
  const std::array<int64_t, 1> target = {question.target};
  check_targets(target, 1, targets_);
  const int64_t count = baselines.shape()[0];
  const auto run_on_baselines = [&](Session& session) {
    std::vector<Tensor> rows = question.point;
    rows[input_] = baselines.cast(real());
    return run(session, rows, count, progress)[0];
  };
  std::vector<double> values;
  if (const auto place = place_of(graph_, targets_, target)) {
    values = picked(run_on_baselines(*place->session(*this)), std::array{place->target}, count);
  } else {
    if (!alone || known_baselines_.empty() || known_baselines_.memory() != baselines.memory()) {
      known_outputs_ = run_on_baselines(*forward());
      known_baselines_ = baselines;
    }
    values = picked(known_outputs_, target, count);
  }
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace ascribe::core
