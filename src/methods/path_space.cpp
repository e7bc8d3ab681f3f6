#include "methods/path_space.h"

#include <array>

#include "passes/canonicalize.h"
#include "passes/gradient.h"

namespace ascribe::core {

namespace {

Shape input_shape(const Session& session, size_t input, int64_t rows) {
  const Graph& graph = session.graph();
  return at(graph[graph.inputs[input].value].type.shape, rows);
}

// Rows with a one at their target.
Tensor one_hot(DType real, const Shape& shape, std::span<const int64_t> targets) {
  Tensor seed(real, shape);
  const int64_t classes = seed.size() / std::ssize(targets);
  visit(real, [&]<class T>(T) {
    const auto to = seed.mutable_data<T>();
    for (int64_t r = 0; r < std::ssize(targets); ++r) to[r * classes + targets[r]] = 1;
  });
  return seed;
}

}  // namespace

PathSpace::PathSpace(ExplainedModel& model, Road road) : model_(model), size_(element_count(model.row())) {
  const Graph& graph = model.graph();
  if (road == Road::plain || graph.inputs.size() != 1 || !model.batched()) return;
  cut_ = split_linear_prefix(graph, model.input());
  if (cut_ && road == Road::shorter && cut_->inner > cut_->outer) cut_.reset();
  if (cut_) size_ = cut_->inner;
}

Tensor PathSpace::enter(const Tensor& rows) {
  if (!cut_) return rows;
  const int64_t count = rows.shape()[0];
  const std::shared_ptr<Session> session =
      model_.session("path: linear layer", [&] { return canonicalize(cut_->prefix); });
  const Tensor input = rows.cast(real()).reshaped(input_shape(*session, 0, count));
  return model_.run(*session, std::array{input}, count)[0].cast(DType::f64);
}

ExplainedModel::Gradients PathSpace::gradients(const Tensor& rows, std::span<const int64_t> targets,
                                               const Question& question) {
  const int64_t count = rows.shape()[0];
  if (!cut_) {
    std::vector<Tensor> inputs = question.point;
    Shape shape = model_.row();
    shape.insert(shape.begin(), count);
    inputs[model_.input()] = rows.reshaped(shape);
    return model_.gradients(inputs, targets);
  }
  const std::shared_ptr<Session> session =
      model_.session("path: behind the linear layer", [&] { return gradient_behind(); });
  const Tensor seed = one_hot(real(), input_shape(*session, 1, count), targets);
  const auto outputs = model_.run(*session, std::array{rows.reshaped(input_shape(*session, 0, count)), seed}, count);
  ExplainedModel::Gradients answer{outputs[1], {}};
  const int64_t classes = seed.size() / count;
  for (int64_t r = 0; r < count; ++r) answer.values.push_back(outputs[0].at(r * classes + targets[r]));
  return answer;
}

Tensor PathSpace::leave(const Tensor& gradients) {
  if (!cut_) return gradients;
  const int64_t count = gradients.shape()[0];
  const std::shared_ptr<Session> session =
      model_.session("path: transposed layer", [&] { return transposed_prefix(*cut_); });
  const Tensor seed = gradients.cast(real()).reshaped(input_shape(*session, 0, count));
  return model_.run(*session, std::array{seed}, count)[0].cast(DType::f64);
}

Graph PathSpace::gradient_behind() const {
  Graph graph = cut_->suffix;
  graph.outputs.erase(graph.outputs.begin());
  graph.drop_unread();
  return canonicalize(gradient(graph, {0, {graph.inputs[0].name}, graph.free_name("seed")}).graph, SharedWeights::keep);
}

}  // namespace ascribe::core
