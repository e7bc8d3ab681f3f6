// What a model says about rows, read as a person would: outputs with one axis of two or more are classes with
// probabilities, everything else is values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "model/model.h"

namespace ascribe::core::study {

// How the numbers of a class output are to be read.
enum class ScoreKind { logits, probabilities, log_probabilities, values };

// An output of the model after a run.
struct Prediction {
  std::string name;
  Tensor values;  // [rows, row...]
  int64_t rows = 1;
  int64_t size = 1;  // numbers per row
  ScoreKind scores = ScoreKind::values;

  double at(int64_t row, int64_t index) const { return values.at(row * size + index); }
  Shape row_shape() const;
};

struct Ranked {
  int64_t index = 0;
  double score = 0.0;
  double probability = 0.0;
};

// Every output of the model on these rows. Refuses, kind numeric, what is not finite, naming the source of the row.
std::vector<Prediction> predictions_of(Model& model, std::span<const Tensor> inputs,
                                       const std::vector<std::string>& sources, const Progress& progress);

// The largest numbers of a row first, with their probabilities: a softmax of logits.
std::vector<Ranked> ranking(const Prediction& prediction, int64_t row, int64_t count);

}  // namespace ascribe::core::study
