#include "model/model.h"

#include <cmath>

#include "base/random.h"
#include "passes/canonicalize.h"

namespace ascribe::core {

namespace {

int64_t macs_of(const Graph& graph, const Node& node) {
  if (node.op->name != "conv" && node.op->name != "conv_transpose" && node.op->name != "matmul") return 0;
  const auto shape = [&](Value value) { return at(graph[value].type.shape, 1); };
  const int64_t out = element_count(at(node.type.shape, 1));
  if (node.op->name == "matmul") {
    const Shape a = shape(node.inputs[0]);
    const bool transposed = node.attributes.flag("transpose_a") && a.size() > 1;
    return out * a[a.size() - (transposed ? 2 : 1)];
  }
  const Shape weight = shape(node.inputs[1]);
  const int64_t per_channel = element_count(weight) / std::max<int64_t>(weight[0], 1);
  return node.op->name == "conv" ? out * per_channel : element_count(shape(node.inputs[0])) * per_channel;
}

// Row `row` of every input that has rows; the others as they are.
std::vector<Tensor> take_rows(const Graph& graph, std::span<const Tensor> inputs, std::span<const int64_t> rows) {
  std::vector<Tensor> taken;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& dims = graph[graph.inputs[i].value].type.shape;
    if (all_fixed(dims)) {
      taken.push_back(inputs[i]);
      continue;
    }
    Shape shape = inputs[i].shape();
    const int64_t per_row = dims[0].per_row;
    const size_t bytes = inputs[i].bytes() / static_cast<size_t>(shape[0] / per_row);
    shape[0] = per_row * static_cast<int64_t>(rows.size());
    Tensor part(inputs[i].dtype(), shape);
    auto* to = static_cast<std::byte*>(part.mutable_memory());
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto* from = static_cast<const std::byte*>(inputs[i].memory()) + static_cast<size_t>(rows[r]) * bytes;
      std::copy(from, from + bytes, to + r * bytes);
    }
    taken.push_back(std::move(part));
  }
  return taken;
}

// Makes the second of two rows differ from the first in every real number.
void disturb_second_row(std::vector<Tensor>& pair) {
  const Random random(20240, 1);
  for (Tensor& tensor : pair) {
    if (kind_of(tensor.dtype()) != Kind::real || tensor.size() < 2) continue;
    tensor = tensor.cast(DType::f64);
    auto values = tensor.mutable_data<double>();
    for (size_t i = values.size() / 2; i < values.size(); ++i) {
      values[i] = values[i] * (0.5 + random.uniform(i)) + 0.1 * random.normal(i);
    }
  }
}

// The largest difference between row `row` of `batch` and the same row alone, relative to the largest value.
double row_difference(const Tensor& batch, const Tensor& alone, int64_t row) {
  double difference = 0, scale = 1e-30;
  for (int64_t i = 0; i < alone.size(); ++i) {
    const double a = batch.at(row * alone.size() + i), b = alone.at(i);
    if (std::isfinite(b)) scale = std::max(scale, std::abs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    difference = std::max(difference, std::abs(a - b));
  }
  return difference / scale;
}

}  // namespace

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) {
    if (node.op->name == "constant" && node.type.kind == Kind::real) cost.parameters += product(node.type.shape).fixed;
    cost.macs_per_row += macs_of(graph, node);
  }
  return cost;
}

Model Model::load(const std::filesystem::path& path, const LoadOptions& options) {
  ImportOptions import;
  import.shapes = options.shapes;
  import.bound = options.bound;
  return from(import_model(path, import), options);
}

Model Model::from(ImportedModel imported, const LoadOptions& options) {
  Model model;
  model.info_ = std::move(imported.info);
  model.batched_ = imported.batched;
  model.why_not_batched_ = std::move(imported.why_not_batched);
  model.notes_ = std::move(imported.notes);
  model.precision_ = options.precision.value_or(imported.double_precision ? DType::f64 : DType::f32);
  model.cost_ = cost_of(imported.graph);
  model.graph_ = canonicalize(imported.graph);
  imported.graph = {};
  SessionOptions session;
  session.real = model.precision_;
  session.memory = options.memory;
  Graph working = model.graph_;
  if (!options.keep_graph) {
    for (Node& node : model.graph_.nodes) node.constant = {};
  }
  model.session_ = std::make_unique<Session>(std::move(working), session);
  return model;
}

std::vector<Tensor> Model::run(std::span<const Tensor> inputs, const Progress& progress) {
  if (inputs.size() == graph_.inputs.size() && batched_ && !rows_checked_) check_rows(inputs);
  return session_->run(inputs, progress);
}

void Model::check_rows(std::span<const Tensor> inputs) {
  int64_t rows = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& dims = graph_[graph_.inputs[i].value].type.shape;
    if (!all_fixed(dims) && inputs[i].rank() > 0) rows = inputs[i].shape()[0] / dims[0].per_row;
  }
  if (rows < 2) return;
  // Shapes first: what does not fit is complained of as such.
  session_->check(inputs);
  auto pair = take_rows(graph_, inputs, std::array<int64_t, 2>{0, 1});
  disturb_second_row(pair);
  const auto together = session_->run(pair);
  const double tolerance = precision_ == DType::f64 ? 1e-9 : 1e-4;
  for (int64_t row = 0; row < 2; ++row) {
    const auto alone = session_->run(take_rows(graph_, pair, std::array<int64_t, 1>{row}));
    for (size_t i = 0; i < alone.size(); ++i) {
      const double difference = row_difference(together[i], alone[i], row);
      if (difference > tolerance) {
        fail(ErrorKind::unsupported, graph_.outputs[i].name,
             "rows of a batch influence each other; row {} alone and in a batch of two differ by {:.2g} (relative); "
             "give one row at a time",
             row, difference);
      }
    }
  }
  rows_checked_ = true;
}

}  // namespace ascribe::core
