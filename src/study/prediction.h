// What a model says about rows, read as a person would: outputs with one axis of two or more whose numbers are of
// classes have probabilities; sequences, maps and boxes are summed up; everything else is values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "model/model.h"
#include "study/output_form.h"

namespace ascribe::core::study {

// How the numbers of a class output are to be read. `independent`: probabilities, each of its own class alone.
enum class ScoreKind { logits, probabilities, log_probabilities, independent, values };

// An output of the model after a run.
struct Prediction {
  std::string name;
  Tensor values;  // [rows, row...]
  int64_t rows = 1;
  int64_t size = 1;  // numbers per row
  ScoreKind scores = ScoreKind::values;
  OutputForm form = {};
  std::vector<int64_t> last = {};  // of a sequence: the last position of each row that is not padding

  bool ranked() const { return form.kind == OutputKind::vector; }
  bool dense() const { return form.kind != OutputKind::number && form.kind != OutputKind::vector; }
  OutputRow row(int64_t index) const { return {values, index * size}; }
  double at(int64_t row, int64_t index) const { return values.at(row * size + index); }
  Shape row_shape() const;
};

struct Ranked {
  int64_t index = 0;
  double score = 0.0;
  double probability = 0.0;  // 0 if the numbers are values
};

// Every output of the model on these rows. Refuses, kind numeric, what is not finite, naming the source of the row.
// `labels`: how many names of classes there are. `file`: the graph of the file, if the model is entered behind its
// inputs: what an output is for is told by what the file takes.
std::vector<Prediction> predictions_of(Model& model, std::span<const Tensor> inputs,
                                       const std::vector<std::string>& sources, const Progress& progress,
                                       int64_t labels = 0, const Graph* file = nullptr);

// The largest numbers of a row first, with their probabilities: a softmax of logits.
std::vector<Ranked> ranking(const Prediction& prediction, int64_t row, int64_t count);
// The same of one position of a sequence.
std::vector<Ranked> ranking_at(const Prediction& prediction, int64_t row, int64_t position, int64_t count);

// Of a map a class, of other outputs an index of the first axis.
struct ClassSummary {
  int64_t index = 0;
  std::optional<double> share;  // of the places where it is the largest, or where its probability is above one half
  double least = 0, mean = 0, most = 0;
};
// The largest share first; without shares in their order.
std::vector<ClassSummary> class_summaries(const Prediction& prediction, int64_t row);

}  // namespace ascribe::core::study
