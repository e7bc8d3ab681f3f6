// evaluate before its samples: the data, the model as it is asked, the methods and metrics, and the experiment that
// scores them. For one run over all samples, and for parts of it (study/parts/evaluate_part.h).
#pragma once

#include "study/evaluate.h"

namespace ascribe::core::study {

// What is asked for, parted: metrics that rate methods, and the one that looks at the model alone.
struct Wishes {
  std::vector<ChosenMetric> rating;
  const Metric* profile = nullptr;
};
Wishes wishes_of(const EvaluateRequest& request);

std::string name_of_data(const EvaluateRequest& request);

// The request with its rows as a data set, checked; `input`: what the samples are said to be for; empty: nothing is
// said.
EvaluateRequest with_data(const Subject& subject, const EvaluateRequest& request, std::string& input);

std::shared_ptr<Dataset> open_data(const EvaluateRequest& request);

struct Evaluating {
  // Request and subject outlive it.
  Evaluating(const Subject& given, const EvaluateRequest& asked_for, const std::string& input);

  Experiment experiment() const;
  ExplainedModel& model() const;
  void tell_notes_of_the_model();

  const EvaluateRequest& request;
  Running running;
  std::shared_ptr<Dataset> data;
  Subject subject;
  std::vector<Content> contents;
  Wishes wishes;
  std::vector<ChosenMethod> methods;

 private:
  Subject subject_of(const Subject& given, const std::string& input);
};

// Summaries and spectrum of the samples that a result has.
void sum_up(EvaluateResult& result, bool profile, uint64_t seed);

}  // namespace ascribe::core::study
