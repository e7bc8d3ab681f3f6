// predict: what a model says about data.
#pragma once

#include "base/json.h"
#include "study/prediction.h"
#include "study/rows.h"
#include "study/run.h"
#include "study/subject.h"

namespace ascribe::core::study {

struct PredictRequest {
  RowSource rows;
  std::string labels = {};                    // a file with the names of the classes, one per line
  std::vector<std::string> label_names = {};  // or the names
  Run run = {};
};

struct PredictResult {
  std::string model;  // its path
  DType precision = DType::f32;
  std::vector<std::string> sources;     // of the rows
  std::vector<Prediction> predictions;  // one per output of the model
  std::vector<std::string> labels;      // of the classes; empty: not known
  std::vector<std::string> notes;
};

// The last positions of a sequence that are not padding.
std::vector<int64_t> shown_positions(const Prediction& one, int64_t row);

// A box with its best class and its four numbers; none: they are in no output.
struct ShownBox {
  ScoredBox box;
  std::vector<double> corners;
};
std::vector<ShownBox> best_boxes(const PredictResult& result, const Prediction& one, int64_t row, int64_t most);

PredictResult predict(const Subject& subject, const PredictRequest& request);

// At most `top` classes of each row.
Json to_json(const PredictResult& result, int64_t top);

}  // namespace ascribe::core::study
