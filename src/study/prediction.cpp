#include "study/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ascribe::core::study {

namespace {

// The operation that makes the numbers of an output: seen through those that only rearrange them.
std::string_view final_operation(const Graph& graph, Value value) {
  while (graph[value].inputs.size() == 1 && traits_of(graph[value]).rearranges) value = graph[value].inputs[0];
  return graph[value].op->name;
}

bool sums_to_one(const Prediction& prediction) {
  for (int64_t row = 0; row < prediction.rows; ++row) {
    double sum = 0.0;
    for (int64_t i = 0; i < prediction.size; ++i) {
      if (prediction.at(row, i) < 0.0) return false;
      sum += prediction.at(row, i);
    }
    if (std::abs(sum - 1.0) > 1e-4) return false;
  }
  return true;
}

ScoreKind scores_of(const Graph& graph, const Port& port, const Prediction& prediction) {
  const Shape row = prediction.row_shape();
  const auto long_axes = std::count_if(row.begin(), row.end(), [](int64_t extent) { return extent > 1; });
  const DType dtype = prediction.values.dtype();
  if (long_axes != 1 || (dtype != DType::f32 && dtype != DType::f64)) return ScoreKind::values;
  const std::string_view last = final_operation(graph, port.value);
  if (last == "log_softmax") return ScoreKind::log_probabilities;
  if (last == "sigmoid") return ScoreKind::values;
  return last == "softmax" || sums_to_one(prediction) ? ScoreKind::probabilities : ScoreKind::logits;
}

void check_finite(const Prediction& prediction, const std::vector<std::string>& sources) {
  for (int64_t i = 0; i < prediction.values.size(); ++i) {
    const double value = prediction.values.at(i);
    if (std::isfinite(value)) continue;
    fail(ErrorKind::numeric, sources[std::min<size_t>(i / prediction.size, sources.size() - 1)],
         "the model's output '{}' is {} at position {}; a weight is not finite or a sum too large", prediction.name,
         value, i % prediction.size);
  }
}

// Softmax of logits; shifted by the largest, so that nothing overflows.
std::vector<double> probabilities(const Prediction& prediction, int64_t row) {
  std::vector<double> p(prediction.size);
  for (int64_t i = 0; i < prediction.size; ++i) p[i] = prediction.at(row, i);
  if (prediction.scores == ScoreKind::probabilities) return p;
  const double largest = prediction.scores == ScoreKind::logits ? *std::max_element(p.begin(), p.end()) : 0.0;
  for (double& value : p) value = std::exp(value - largest);
  if (prediction.scores == ScoreKind::log_probabilities) return p;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= sum;
  return p;
}

}  // namespace

Shape Prediction::row_shape() const {
  const Shape& shape = values.shape();
  return rows == 1 && (shape.empty() || shape[0] != 1) ? shape : Shape(shape.begin() + 1, shape.end());
}

std::vector<Prediction> predictions_of(Model& model, std::span<const Tensor> inputs,
                                       const std::vector<std::string>& sources, const Progress& progress) {
  std::vector<Tensor> outputs = model.run(inputs, progress);
  std::vector<Prediction> predictions;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port& port = model.graph().outputs[i];
    const auto rows = static_cast<int64_t>(sources.size());
    Prediction prediction;
    prediction.name = port.name;
    prediction.rows = outputs[i].rank() > 0 && outputs[i].shape()[0] == rows ? rows : 1;
    prediction.size = outputs[i].size() / std::max<int64_t>(prediction.rows, 1);
    prediction.values = std::move(outputs[i]);
    check_finite(prediction, sources);
    prediction.scores = scores_of(model.graph(), port, prediction);
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

std::vector<Ranked> ranking(const Prediction& prediction, int64_t row, int64_t count) {
  const std::vector<double> p = probabilities(prediction, row);
  std::vector<int64_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return prediction.at(row, a) > prediction.at(row, b); });
  order.resize(std::min<size_t>(order.size(), count));
  std::vector<Ranked> ranked;
  for (const int64_t index : order) ranked.push_back({index, prediction.at(row, index), p[index]});
  return ranked;
}

}  // namespace ascribe::core::study
