#include "methods/explained_model.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/ranges.h>

#include "methods/compile.h"
#include "methods/method.h"

namespace ascribe::core {

size_t explained_input(const Graph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const bool real = graph[graph.inputs[i].value].type.kind == Kind::real;
    if (real && (name.empty() || graph.inputs[i].name == name)) return i;
    if (real) names.push_back(graph.inputs[i].name);
  }
  if (names.empty()) fail(ErrorKind::unsupported, "inputs", "the model has no real input to explain");
  fail(ErrorKind::argument, "--input", "the model has no real input '{}'; expected one of {}", name,
       fmt::join(names, ", "));
}

namespace {

// Rows come first where their number is free, or where the file fixes them to one.
Shape row_of(const Dims& shape) {
  Shape row = at(shape, 1);
  const bool has_rows = !row.empty() && (!shape[0].is_fixed() || row[0] == 1 || row.size() == 4);
  if (has_rows) row.erase(row.begin());
  return row;
}

void check_targets(std::span<const int64_t> targets, int64_t rows, int64_t count) {
  require(std::ssize(targets) == rows || targets.size() == 1, "targets", "expected one for each row");
  for (const int64_t target : targets) {
    if (target < 0 || target >= count) {
      fail(ErrorKind::argument, "--target", "there is no class {}; expected 0 to {}", target, count - 1);
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

ExplainedModel::ExplainedModel(const Graph& model, ExplainOptions options)
    : options_(std::move(options)),
      graph_(with_explained(model, options_.output, options_.probability, notes_)),
      input_(explained_input(graph_, options_.input)),
      targets_(target_count(graph_, graph_.outputs[1])) {
  const Dims& shape = graph_[graph_.inputs[input_].value].type.shape;
  row_ = row_of(shape);
  batched_ = !all_fixed(shape);
}

int64_t ExplainedModel::row_count(std::span<const Tensor> rows) const {
  return rows[input_].size() / element_count(row_);
}

Session& ExplainedModel::forward() {
  return session("forward", [&] {
    Graph graph = graph_;
    graph.outputs.erase(graph.outputs.begin());
    graph.drop_unread();
    return graph;
  });
}

std::vector<Tensor> ExplainedModel::run(Session& session, std::span<const Tensor> rows, int64_t count,
                                        const Progress& progress) {
  const Graph& graph = session.graph();
  require(rows.size() == graph.inputs.size(), "rows", "expected a tensor for each input");
  const auto type_of = [&](size_t i) -> const Type& { return graph[graph.inputs[i].value].type; };
  if (batched_) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool repeat = count > 1 && !all_fixed(type_of(i).shape) && rows[i].shape()[0] == at(type_of(i).shape, 1)[0];
      inputs.push_back(repeat ? repeated_row(rows[i], count) : rows[i]);
    }
    return session.run(inputs, progress);
  }
  std::vector<std::vector<Tensor>> outputs(graph.outputs.size());
  for (int64_t r = 0; r < count; ++r) {
    std::vector<Tensor> one;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Shape shape = at(type_of(i).shape, 1);
      const bool several = rows[i].size() == element_count(shape) * count;
      one.push_back(row_at(rows[i], several ? r : 0, shape));
    }
    const std::vector<Tensor> answer = session.run(one);
    for (size_t k = 0; k < answer.size(); ++k) {
      outputs[k].push_back(answer[k].rank() == 0 ? answer[k].reshaped({1}) : answer[k]);
    }
    report(progress, "rows", r + 1, count);
  }
  std::vector<Tensor> joined;
  for (const auto& parts : outputs) joined.push_back(stacked_rows(parts));
  return joined;
}

std::vector<double> ExplainedModel::values(std::span<const Tensor> rows, std::span<const int64_t> targets,
                                           const Progress& progress) {
  const int64_t count = row_count(rows);
  check_targets(targets, count, targets_);
  return picked(run(forward(), rows, count, progress)[0], targets, count);
}

Tensor ExplainedModel::outputs(std::span<const Tensor> rows, const Progress& progress) {
  return run(forward(), rows, row_count(rows), progress)[0];
}

ExplainedModel::Gradients ExplainedModel::gradients(std::span<const Tensor> rows, std::span<const int64_t> targets,
                                                    const Progress& progress) {
  const int64_t count = row_count(rows);
  check_targets(targets, count, targets_);
  Session& session = this->session("gradient", [&] {
    const Method& method = method_named("gradient");
    return runnable_explanation(*this, method, Parameters(method.name, method.parameters)).graph;
  });
  std::vector<Tensor> inputs(rows.begin(), rows.end());
  inputs.push_back(Tensor::of<int64_t>({std::ssize(targets)}, std::vector<int64_t>(targets.begin(), targets.end())));
  const std::vector<Tensor> outputs = run(session, inputs, count, progress);
  const std::array<int64_t, 1> only = {0};
  return {outputs[0], picked(outputs[1], only, count)};
}

double ExplainedModel::baseline_output(const Question& question, const Progress& progress) {
  const Tensor baselines = effective_baselines(*this, question);
  const bool alone = graph_.inputs.size() == 1;  // other inputs could differ
  if (!alone || known_baselines_.empty() || known_baselines_.memory() != baselines.memory()) {
    std::vector<Tensor> rows = question.point;
    rows[input_] = baselines.cast(real());
    known_outputs_ = run(forward(), rows, baselines.shape()[0], progress)[0];
    known_baselines_ = baselines;
  }
  const std::array<int64_t, 1> target = {question.target};
  check_targets(target, 1, targets_);
  const auto values = picked(known_outputs_, target, baselines.shape()[0]);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::shared_ptr<Session> ExplainedModel::shared_session(const std::string& key, const std::function<Graph()>& make) {
  const auto found =
      std::find_if(sessions_.begin(), sessions_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != sessions_.end()) {
    sessions_.splice(sessions_.begin(), sessions_, found);
    return found->session;
  }
  sessions_.push_front({key, std::make_shared<Session>(make(), options_.session)});
  size_t bytes = 0;
  for (auto kept = sessions_.begin(); kept != sessions_.end();) {
    bytes += kept->session->held_bytes();
    const bool drop = kept != sessions_.begin() && bytes > options_.session.memory / 2;
    kept = drop ? sessions_.erase(kept) : std::next(kept);
  }
  return sessions_.front().session;
}

Session& ExplainedModel::session(const std::string& key, const std::function<Graph()>& make) {
  return *shared_session(key, make);
}

}  // namespace ascribe::core
