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

PredictResult predict(const Subject& subject, const PredictRequest& request);

// At most `top` classes of each row.
Json to_json(const PredictResult& result, int64_t top);

}  // namespace ascribe::core::study
