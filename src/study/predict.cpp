#include "study/predict.h"

#include <algorithm>

#include "base/json.h"
#include "study/asked.h"
#include "study/labels.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kShownPositions = 3;    // of a sequence
constexpr int64_t kMostPredicted = 4096;  // of a row in a JSON document; arrays have all

void check(const PredictResult& result, const std::string& where) {
  for (const Prediction& one : result.predictions) {
    if (one.form.kind == OutputKind::number || one.form.kind == OutputKind::other) continue;
    if (one.values.dtype() == DType::i64 || one.values.dtype() == DType::boolean) continue;
    check_labels(result.labels, one.form, where);
  }
}

// {index, label?}
Json class_json(const PredictResult& result, const Prediction& one, int64_t index) {
  Json json = Json::object({{"index", index}});
  const bool named = one.form.class_count() == std::ssize(result.labels) && index < std::ssize(result.labels);
  if (named) json["label"] = result.labels[static_cast<size_t>(index)];
  return json;
}

Json ranking_json(const PredictResult& result, const Prediction& one, const std::vector<Ranked>& ranking) {
  Json list = Json::list();
  for (const Ranked& ranked : ranking) {
    Json entry = class_json(result, one, ranked.index);
    if (one.scores == ScoreKind::logits) entry["logit"] = ranked.score;
    if (one.scores == ScoreKind::values) entry["value"] = ranked.score;
    else entry["probability"] = ranked.probability;
    list.push(std::move(entry));
  }
  return list;
}

Json boxes_json(const PredictResult& result, const Prediction& one, int64_t row, int64_t top) {
  Json list = Json::list();
  for (const ShownBox& shown : best_boxes(result, one, row, top)) {
    Json entry = Json::object({{"box", shown.box.box}, {"class", class_json(result, one, shown.box.class_index)}});
    entry["score"] = shown.box.score;
    if (!shown.corners.empty()) entry["corners"] = shown.corners;
    list.push(std::move(entry));
  }
  return list;
}

Json summaries_json(const PredictResult& result, const Prediction& one, int64_t row, int64_t top) {
  Json list = Json::list();
  for (const ClassSummary& summary : class_summaries(one, row)) {
    if (std::ssize(list.items()) == top) break;
    Json entry = class_json(result, one, summary.index);
    if (summary.share) entry["share"] = *summary.share;
    entry.update(Json::object({{"least", summary.least}, {"mean", summary.mean}, {"most", summary.most}}));
    list.push(std::move(entry));
  }
  return list;
}

// What stands for all the numbers of an output with several axes.
void add_dense(Json& json, const PredictResult& result, const Prediction& one, int64_t row, int64_t top) {
  json["axes"] = one.form.axis_names();
  switch (one.form.kind) {
    case OutputKind::sequence: {
      json["positions"] = Json::list();
      for (const int64_t position : shown_positions(one, row)) {
        json["positions"].push(Json::object(
            {{"position", position}, {"top", ranking_json(result, one, ranking_at(one, row, position, top))}}));
      }
      return;
    }
    case OutputKind::boxes: json["boxes"] = boxes_json(result, one, row, top); return;
    case OutputKind::map: json["classes"] = summaries_json(result, one, row, top); return;
    default:
      if (!one.form.row.empty()) json["summaries"] = summaries_json(result, one, row, top);
  }
}

Json prediction_json(const PredictResult& result, const Prediction& one, int64_t row, int64_t top) {
  Json json = Json::object({{"name", one.name}, {"shape", one.row_shape()}});
  if (one.ranked()) json["top"] = ranking_json(result, one, ranking(one, row, top));
  else if (one.dense()) add_dense(json, result, one, row, top);
  if (one.size <= kMostPredicted) {
    json["values"] = Json::list();
    for (int64_t i = 0; i < one.size; ++i) json["values"].push(one.at(row, i));
  }
  return json;
}

}  // namespace

std::vector<int64_t> shown_positions(const Prediction& one, int64_t row) {
  const int64_t last = one.last[static_cast<size_t>(row)];
  std::vector<int64_t> positions;
  for (int64_t p = std::max<int64_t>(0, last - kShownPositions + 1); p <= last; ++p) positions.push_back(p);
  return positions;
}

std::vector<ShownBox> best_boxes(const PredictResult& result, const Prediction& one, int64_t row, int64_t most) {
  const Prediction* apart = nullptr;
  for (const Prediction& other : result.predictions) {
    if (!one.form.corners.empty() && other.name == one.form.corners) apart = &other;
  }
  std::vector<ShownBox> shown;
  for (const ScoredBox& box : ranked_boxes(one.form, one.row(row))) {
    if (std::ssize(shown) == most) break;
    ShownBox& added = shown.emplace_back(ShownBox{box, {}});
    if (apart == nullptr && one.form.first_class == 0) continue;
    for (int64_t i = 0; i < kBoxCorners; ++i) {
      added.corners.push_back(apart != nullptr ? apart->at(row, box.box * kBoxCorners + i)
                                               : one.at(row, one.form.box_element(box.box, i)));
    }
  }
  return shown;
}

namespace {

// The names of classes in the file, if they are those of every output that has classes.
std::vector<std::string> labels_for_all(const Model& model, const std::vector<Prediction>& predictions) {
  std::vector<std::string> labels;
  for (const Prediction& one : predictions) {
    if (model.info().labels.contains(one.name)) labels = labels_in_file(model, one.name);
  }
  for (const Prediction& one : predictions) {
    if (one.scores != ScoreKind::values && one.size != std::ssize(labels)) return {};
  }
  return labels;
}

}  // namespace

PredictResult predict(const Subject& given, const PredictRequest& request) {
  Running running(request.run);
  std::vector<std::string> notes;
  const Subject subject = sized(given, request.rows, notes);
  PredictResult result;
  result.model = subject.path();
  result.labels = request.label_names.empty() ? read_labels(request.labels) : request.label_names;
  Model& model = subject.model();
  result.precision = model.precision();
  notes.insert(notes.end(), model.notes().begin(), model.notes().end());
  ModelInputs inputs = read_inputs(model, request.rows, model.precision(), notes);
  running.note(notes);
  running.begin(std::ssize(inputs.sources));
  result.predictions =
      predictions_of(model, inputs.tensors, inputs.sources, running.progress(), std::ssize(result.labels));
  result.sources = std::move(inputs.sources);
  if (result.labels.empty()) result.labels = labels_for_all(model, result.predictions);
  check(result, request.labels.empty() ? "labels" : request.labels);
  result.notes = running.notes();
  return result;
}

Json to_json(const PredictResult& result, int64_t top) {
  Json json =
      Json::object({{"model", result.model}, {"precision", to_string(result.precision)}, {"notes", result.notes}});
  json["predictions"] = Json::list();
  for (size_t row = 0; row < result.sources.size(); ++row) {
    Json outputs = Json::list();
    for (const Prediction& one : result.predictions) {
      if (static_cast<int64_t>(row) < one.rows) {
        outputs.push(prediction_json(result, one, static_cast<int64_t>(row), top));
      }
    }
    json["predictions"].push(Json::object({{"input", result.sources[row]}, {"outputs", std::move(outputs)}}));
  }
  return json;
}

}  // namespace ascribe::core::study
