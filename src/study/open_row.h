// A row that is looked at again and again: read once, then masked, changed and explained as somebody asks
// (docs/howto/serve.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/budget.h"
#include "study/document.h"
#include "study/explain.h"
#include "study/prediction.h"

namespace ascribe::core::study {

// What is done to a row before the model sees it. Places are what a person can point at: the pixels of an image, each
// with all its channels; the numbers of a series, channel by channel; the tokens of a text; else the numbers of the
// row.
struct RowChange {
  std::vector<bool> masked = {};                          // by place: at the baseline instead; empty: none
  std::vector<std::pair<int64_t, double>> replaced = {};  // other numbers, at places that are one number each
};

// A number of a row that is not a picture.
struct PlaceFacts {
  std::string name;
  double value = 0, baseline = 0;            // the mean over several baselines
  std::vector<std::string> categories = {};  // what the codes 0, 1, ... stand for; empty: it is a number
};

struct ChangedRow {
  double output = 0;                         // what is explained; with several baselines the mean
  std::vector<document::TopClass> top = {};  // of the explained output; empty: it is not a list of numbers
};

class OpenRow {
 public:
  // One row. `settings` as for explain; `seconds`: what a method may take where settings can be made smaller.
  OpenRow(const Subject& subject, QuestionRequest request, const std::vector<std::string>& settings,
          std::optional<double> seconds, const Run& run);

  const RowQuestion& question() const { return explained_.rows[0]; }
  const RowValues& values() const { return explained_.values[0]; }
  const std::vector<std::string>& notes() const { return explained_.notes; }
  const std::vector<std::string>& labels() const { return labels_; }
  const Prediction& prediction() const;  // of the explained output

  document::Row row() const;  // what the model says, without methods
  // The same with these methods, each computed when it is first asked for. What a method says against the model is
  // among those that are left out.
  document::Row explained(const std::vector<std::string>& methods, const Run& run);

  int64_t places() const;
  std::vector<PlaceFacts> place_facts() const;    // of rows that are not pictures
  std::optional<Image> baseline_picture() const;  // nothing: not a picture, or nobody knows how its numbers came about
  // Complains, kind argument, of places that there are not and of numbers that are not finite.
  ChangedRow changed(const RowChange& change, const Run& run);

 private:
  std::vector<int64_t> elements_of(int64_t place) const;
  void check(const RowChange& change) const;
  Tensor changed_input(const RowChange& change, int64_t baseline) const;
  std::vector<Prediction> predict(std::span<const Tensor> point, const Progress& progress) const;
  void compute(const std::string& method, Running& running);
  void afford(ChosenMethod& chosen, std::vector<std::string>& notes);

  Subject subject_;
  QuestionRequest request_;
  std::vector<ChosenMethod> methods_;  // all there are, with their settings
  std::optional<double> seconds_;
  std::optional<Pace> pace_;
  std::vector<std::string> labels_;
  ExplainedModel* model_ = nullptr;
  ExplainResult explained_;  // one row; methods in the order in which they were asked for
  std::vector<Prediction> predictions_;
  document::RowKind kind_ = document::RowKind::table;
};

}  // namespace ascribe::core::study
