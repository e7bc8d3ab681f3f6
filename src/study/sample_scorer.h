// The samples of an evaluation, batch by batch. Which of them are taken depends on the seed, and on what the model says
// of them where only those it gets right are wanted; never on the batches.
#pragma once

#include "study/evaluating.h"
#include "study/row_stream.h"
#include "study/sample_questions.h"

namespace ascribe::core::study {

class SampleScorer {
 public:
  SampleScorer(Evaluating& at, Experiment& experiment);

  // Of the samples that are not known yet, by the first of them.
  WorkCost cost(std::span<const ChosenMethod> methods, std::vector<ChosenMetric> metrics);

  // All of them, into the experiment.
  SamplesSeen run();
  [[noreturn]] void complain_of_none() const;  // after a run that left no sample

  // ---- for work in parts ----

  int64_t batch() const { return batch_; }
  // All samples that are wanted, by their place in the data and in rising order. Refuses what depends on the others:
  // as many samples as are right.
  std::vector<int64_t> wanted_in_parts() const;
  // What is not asked for by name is left out if it does not suit the first sample of all.
  void decide(std::span<const int64_t> wanted);
  // A batch as a line: the journal's, with what was seen, noted and failed, and without what took how long.
  Json line_of(std::span<const int64_t> batch, const Progress& progress = {});

 private:
  struct Asked {
    std::vector<int64_t> indices;
    std::vector<SampleQuestion> questions;
    std::vector<RowFailure> failures;
  };

  int64_t wanted(const std::vector<int64_t>& order) const;
  std::vector<int64_t> order_of_samples() const;
  void score(std::span<const int64_t> candidates);
  Asked ask(const std::vector<int64_t>& indices);
  Asked ask_together(const std::vector<int64_t>& indices);
  EvaluationBatch batch_of(Asked asked);
  void count(const SampleFacts& facts);
  bool takes(const SampleFacts& facts);
  std::vector<std::string> new_notes();
  Progress progress_of(size_t count) const;
  int64_t number_of(int64_t index) const { return request_.question.rows.number_of(index); }

  Dataset& data_;
  Experiment& experiment_;
  const Metric* profile_;  // null: none
  ExplainedModel& model_;
  const EvaluateRequest& request_;
  Running& running_;
  std::vector<std::string> notes_;
  size_t told_ = 0;  // of the notes
  SampleAsker asker_;
  int64_t batch_;
  int64_t taken_ = 0, wanted_ = 0;  // samples with scores, and in all
  int64_t batches_ = 0;
  SamplesSeen seen_;
  std::string first_failure_;
};

}  // namespace ascribe::core::study
