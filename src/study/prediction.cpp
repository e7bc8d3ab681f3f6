#include "study/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/finite.h"

namespace ascribe::core::study {

namespace {

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

ScoreKind scores_of(const Prediction& prediction) {
  const OutputForm& form = prediction.form;
  const DType dtype = prediction.values.dtype();
  if (dtype != DType::f32 && dtype != DType::f64) return ScoreKind::values;
  if (form.head == "sigmoid" && !prediction.dense()) return ScoreKind::independent;
  if (form.kind == OutputKind::sequence) {
    if (form.head == "log_softmax") return ScoreKind::log_probabilities;
    if (form.head == "sigmoid") return ScoreKind::independent;
    if (form.head == "softmax") return ScoreKind::probabilities;
    return form.classes || form.has_tokens ? ScoreKind::logits : ScoreKind::values;
  }
  if (form.kind != OutputKind::vector) return ScoreKind::values;
  if (form.head == "log_softmax") return ScoreKind::log_probabilities;
  if (form.head == "softmax" || sums_to_one(prediction)) return ScoreKind::probabilities;
  return form.logits ? ScoreKind::logits : ScoreKind::values;
}

// An output that is not explained may lack rows, or hold integers: it is what its values are.
OutputForm form_of(const Graph& graph, const std::string& output, const Prediction& prediction, int64_t labels) {
  const Port& port =
      *std::find_if(graph.outputs.begin(), graph.outputs.end(), [&](const Port& each) { return each.name == output; });
  OutputForm form;
  form.name = port.name;
  form.row = prediction.row_shape();
  const int64_t long_axes = std::count_if(form.row.begin(), form.row.end(), [](int64_t extent) { return extent > 1; });
  const Type& type = graph[port.value].type;
  if (type.kind == Kind::real && rows_in(type.shape).row == form.row) form = output_form(graph, port, labels);
  else if (prediction.size == 1) form.kind = OutputKind::number;
  else if (long_axes == 1) form.kind = OutputKind::vector;
  if (form.kind != OutputKind::boxes) return form;
  for (int64_t row = 0; row < prediction.rows; ++row) {
    if (!may_be_boxes(form, prediction.row(row))) form.kind = OutputKind::other;
  }
  return form;
}

void check_finite(const Prediction& prediction, const std::vector<std::string>& sources) {
  for (int64_t i = 0; i < prediction.values.size(); ++i) {
    const double value = prediction.values.at(i);
    if (std::isfinite(value)) continue;
    fail(ErrorKind::numeric, sources[std::min<size_t>(i / prediction.size, sources.size() - 1)],
         "the model's output '{}' is {} at position {}; a weight is not finite or a sum too large", prediction.name,
         number_in_words(value), i % prediction.size);
  }
}

// Softmax of logits; shifted by the largest, so that nothing overflows.
std::vector<double> probabilities(std::vector<double> p, ScoreKind scores) {
  if (scores == ScoreKind::values) return std::vector<double>(p.size(), 0.0);
  if (scores == ScoreKind::probabilities || scores == ScoreKind::independent) return p;
  const double largest = scores == ScoreKind::logits ? *std::max_element(p.begin(), p.end()) : 0.0;
  for (double& value : p) value = std::exp(value - largest);
  if (scores == ScoreKind::log_probabilities) return p;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= sum;
  return p;
}

std::vector<Ranked> ranked(const std::vector<double>& scores, ScoreKind kind, int64_t count) {
  const std::vector<double> p = probabilities(scores, kind);
  std::vector<int64_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  order.resize(std::min<size_t>(order.size(), count));
  std::vector<Ranked> ranked;
  for (const int64_t index : order) ranked.push_back({index, scores[index], p[index]});
  return ranked;
}

// In how many of the places a class is the largest; or each by itself above one half.
std::vector<double> shares(const Prediction& prediction, int64_t row) {
  const OutputForm& form = prediction.form;
  std::vector<double> shares(static_cast<size_t>(form.class_count()), 0);
  const double place = 1.0 / static_cast<double>(form.places());
  if (form.head == "sigmoid") {
    for (int64_t c = 0; c < form.class_count(); ++c) {
      for (int64_t i = 0; i < form.places(); ++i) {
        if (prediction.at(row, form.at_place(c, i)) > 0.5) shares[static_cast<size_t>(c)] += place;
      }
    }
  } else if (form.class_count() > 1) {
    for (const int64_t top : top_per_place(form, prediction.row(row))) shares[static_cast<size_t>(top)] += place;
  } else {
    shares.clear();
  }
  return shares;
}

}  // namespace

Shape Prediction::row_shape() const {
  const Shape& shape = values.shape();
  return rows == 1 && (shape.empty() || shape[0] != 1) ? shape : Shape(shape.begin() + 1, shape.end());
}

std::vector<Prediction> predictions_of(Model& model, std::span<const Tensor> inputs,
                                       const std::vector<std::string>& sources, const Progress& progress,
                                       int64_t labels, const Graph* file) {
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
    prediction.form = form_of(file != nullptr ? *file : model.graph(), port.name, prediction, labels);
    if (prediction.form.kind == OutputKind::sequence) {
      prediction.last = last_positions(prediction.form, model.graph(), inputs, prediction.rows);
    }
    prediction.scores = scores_of(prediction);
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

std::vector<Ranked> ranking(const Prediction& prediction, int64_t row, int64_t count) {
  std::vector<double> scores(static_cast<size_t>(prediction.size));
  for (int64_t i = 0; i < prediction.size; ++i) scores[static_cast<size_t>(i)] = prediction.at(row, i);
  return ranked(scores, prediction.scores, count);
}

std::vector<Ranked> ranking_at(const Prediction& prediction, int64_t row, int64_t position, int64_t count) {
  const int64_t tokens = prediction.form.row[1];
  std::vector<double> scores(static_cast<size_t>(tokens));
  for (int64_t i = 0; i < tokens; ++i) scores[static_cast<size_t>(i)] = prediction.at(row, position * tokens + i);
  return ranked(scores, prediction.scores, count);
}

std::vector<ClassSummary> class_summaries(const Prediction& prediction, int64_t row) {
  const OutputForm& form = prediction.form;
  const bool map = form.kind == OutputKind::map;
  const int64_t count = map ? form.class_count() : form.row[0];
  const int64_t each = prediction.size / std::max<int64_t>(count, 1);
  const std::vector<double> share = map ? shares(prediction, row) : std::vector<double>();
  std::vector<ClassSummary> summaries;
  for (int64_t c = 0; c < count; ++c) {
    ClassSummary one{c, {}, 0, 0, 0};
    if (!share.empty()) one.share = share[static_cast<size_t>(c)];
    for (int64_t i = 0; i < each; ++i) {
      const double value = prediction.at(row, map ? form.at_place(c, i) : c * each + i);
      one.least = i == 0 ? value : std::min(one.least, value);
      one.most = i == 0 ? value : std::max(one.most, value);
      one.mean += value / static_cast<double>(each);
    }
    summaries.push_back(one);
  }
  if (!share.empty()) {
    std::stable_sort(summaries.begin(), summaries.end(),
                     [](const ClassSummary& a, const ClassSummary& b) { return *a.share > *b.share; });
  }
  return summaries;
}

}  // namespace ascribe::core::study
