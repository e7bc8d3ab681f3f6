#include "study/predict.h"

#include "base/json.h"
#include "study/asked.h"
#include "study/labels.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostPredicted = 4096;  // of a row in a JSON document; arrays have all

void check(const PredictResult& result, const std::string& where) {
  for (const Prediction& one : result.predictions) {
    if (one.scores == ScoreKind::values || result.labels.empty() || std::ssize(result.labels) == one.size) continue;
    fail(ErrorKind::shape, where, "the labels do not fit the output '{}'; got {} labels; expected {}", one.name,
         result.labels.size(), one.size);
  }
}

Json prediction_json(const PredictResult& result, const Prediction& one, int64_t row, int64_t top) {
  Json json = Json::object({{"name", one.name}, {"shape", one.row_shape()}});
  if (one.scores != ScoreKind::values) {
    json["top"] = Json::list();
    for (const Ranked& ranked : ranking(one, row, top)) {
      Json entry = Json::object({{"index", ranked.index}});
      if (!result.labels.empty()) entry["label"] = result.labels[static_cast<size_t>(ranked.index)];
      if (one.scores == ScoreKind::logits) entry["logit"] = ranked.score;
      entry["probability"] = ranked.probability;
      json["top"].push(std::move(entry));
    }
  }
  if (one.size <= kMostPredicted) {
    json["values"] = Json::list();
    for (int64_t i = 0; i < one.size; ++i) json["values"].push(one.at(row, i));
  }
  return json;
}

}  // namespace

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
  result.predictions = predictions_of(model, inputs.tensors, inputs.sources, running.progress());
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
