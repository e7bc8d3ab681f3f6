// What the parts of ascribe evaluate share: the options and the results.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/method_choice.h"
#include "cli/options.h"
#include "cli/question.h"
#include "data/open_dataset.h"
#include "metrics/evaluation.h"

namespace ascribe::core {

struct EvaluateRequest {
  GeneralOptions general;
  ModelOptions model;
  std::string data;
  DatasetOptions dataset;
  InputOptions input;  // how samples are read; --labels
  OutputOptions file;
  QuestionOptions question;
  std::vector<std::string> methods, settings;
  std::vector<std::string> metrics, metric_settings;
  int64_t samples = 100, skip = 0, batch = 0;
  bool shuffle = false, only_correct = false;
  double most_box = 0;  // 0: any
};

// What was seen of the samples, besides their scores.
struct SamplesSeen {
  int64_t read = 0;                   // scored or left out
  int64_t labelled = 0, correct = 0;  // of these, whose class is known, and whose class the model says
  int64_t wrong = 0, large = 0;       // left out: by --only-correct, by --most-box
};

struct EvaluateAnswer {
  const Experiment& experiment;
  std::string model_hash;
  std::string data;  // what the data are
  SamplesSeen seen;
  std::vector<std::string> notes;
  double seconds = 0;  // of this run
};

// Reads samples, makes questions of them and scores them (evaluate_samples.cpp).
class SampleScorer {
 public:
  SampleScorer(Model& model, Dataset& data, Experiment& experiment, const EvaluateRequest& request,
               std::vector<std::string>& notes);
  SamplesSeen run();

 private:
  void score(std::span<const int64_t> candidates);
  void ask(std::span<const int64_t> indices, EvaluationBatch& batch);
  std::vector<int64_t> targets_of(std::span<const Sample> samples);
  bool taken(const Sample& sample, int64_t top, const PixelMask& mask);
  void count_known(int64_t index);
  std::string time_left(double now) const;

  Model& model_;
  Dataset& data_;
  Experiment& experiment_;
  const EvaluateRequest& request_;
  std::vector<std::string>& notes_;
  InputSlot slot_;
  DataOptions fitting_;
  QuestionMaker maker_;
  int64_t batch_ = 1;
  int64_t taken_ = 0, known_ = 0, wanted_ = 0;  // samples with scores, of earlier runs, and in all
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SamplesSeen seen_;
};

// A table for people, and documents for programs (evaluate_output.cpp).
void print_evaluation(const EvaluateAnswer& answer, const EvaluateRequest& request);
nlohmann::ordered_json evaluation_as_json(const EvaluateAnswer& answer, const EvaluateRequest& request);
void check_evaluation_files(const EvaluateRequest& request);  // before the work
void write_evaluation(const EvaluateAnswer& answer, const EvaluateRequest& request);

}  // namespace ascribe::core
