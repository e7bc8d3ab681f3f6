// Many methods and metrics on many samples, batch by batch. Scores do not depend on how samples are cut into batches,
// nor on whether the work was interrupted: finished batches are kept in a journal, and a second run goes on from there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metrics/journal.h"
#include "metrics/kept_scores.h"
#include "metrics/metric.h"
#include "metrics/summary.h"

namespace ascribe::core {

struct EvaluatedMethod {
  const Method& method;
  Parameters parameters;
  bool asked_for = true;  // false: left out if it does not suit the model
  // Rows that take the place of the questions' baselines for this method alone: one that averages over many, beside
  // others that have one. Not part of the fingerprint: `about` must say it.
  std::optional<Tensor> baselines = {};
  // Or rows that are added to each of the questions' baselines, likewise.
  std::optional<Tensor> noise = {};

  Tensor baselines_for(const Question& question) const;
};

struct EvaluatedMetric {
  const Metric& metric;
  Parameters parameters;
  bool asked_for = true;  // false: left out if it does not suit the data
};

// What is known of a sample besides its scores, and found again with them.
struct SampleFacts {
  int64_t label = -1;               // the class that the data say; -1: they do not
  int64_t top = -1;                 // the class that the model says; -1: not asked
  std::optional<double> covered{};  // the share of the image that the object has
  std::vector<double> profile{};    // of a metric that rates no method; empty: not asked for, or nothing to share out
  friend bool operator==(const SampleFacts&, const SampleFacts&) = default;
};

// Samples as questions, with equally many of everything.
struct EvaluationBatch {
  std::vector<Question> questions;
  std::vector<uint64_t> streams;        // the sample's number in the data set
  std::vector<std::string> names;       // for people
  std::vector<PixelMask> objects;       // an empty mask: not known; no masks: of none
  std::vector<SampleFacts> facts = {};  // nothing if it is empty
};

struct EvaluationOptions {
  uint64_t seed = 0;
  bool objects = false;     // the data say where objects are
  bool facts_only = false;  // samples are wanted for what is known of them: there may be no methods and metrics
  // The journal: where it lies (empty: there is none), and whether one of other work is thrown away.
  std::string journal;
  bool force = false;
  // What determines the scores besides methods, metrics, seed, precision and version, which are added: the model's
  // hash, the data, players, baseline, target. Texts by name.
  Json about = Json::object();
};

inline constexpr size_t kMostCurves = size_t{1} << 21;  // points of curves that are kept in all

struct EvaluatedSample {
  std::string name;
  int64_t target = 0;
  // With curves as far as there is room for them (kMostCurves), and not if the journal has them.
  KeptScores scores;
  SampleFacts facts = {};  // as in the batch
};

class Experiment {
 public:
  // Refuses, kind io, a journal of other work, and says what differs. `model` outlives the evaluation.
  Experiment(ExplainedModel& model, std::vector<EvaluatedMethod> methods, std::vector<EvaluatedMetric> metrics,
             const EvaluationOptions& options);

  // Whether the sample's scores are known, from the journal too. Such samples need not be added again.
  bool knows(uint64_t stream) const { return samples_.contains(stream); }

  // Scores the samples that are not known yet. A method or metric that fails on some samples only (kind numeric) has no
  // score there. The first sample decides whether one that was not asked for is left out.
  void add(const EvaluationBatch& batch, const Progress& progress = {});

  // For work that is kept elsewhere (study/parts). What is not asked for is left out if it does not suit the first
  // question; nothing is kept of its scores.
  void decide(const EvaluationBatch& batch);
  bool all_asked_for() const;  // there is nothing to decide
  // The scores of a batch as a line of the journal, which is neither written nor remembered, and does not say how long
  // it took.
  Json line_of(const EvaluationBatch& batch, const Progress& progress = {});

  const std::vector<EvaluatedMethod>& methods() const { return methods_; }
  const std::vector<EvaluatedMetric>& metrics() const { return metrics_; }
  // Why it is left out of everything; empty: it is not.
  const std::string& left_out(size_t method) const { return missing_methods_[method]; }
  const std::string& metric_left_out(size_t metric) const { return missing_metrics_[metric]; }

  const std::map<uint64_t, EvaluatedSample>& samples() const { return samples_; }  // by number in the data set
  std::map<uint64_t, EvaluatedSample> take_samples() { return std::exchange(samples_, {}); }  // at the end
  std::vector<std::vector<Summary>> summaries() const;                                        // [method][metric]

  // Work so far, of earlier runs too.
  double method_seconds(size_t method) const { return method_seconds_[method]; }
  double metric_seconds(size_t metric) const { return metric_seconds_[metric]; }
  // Everything that determines the scores, as the journal's first line has it.
  const Json& fingerprint() const { return fingerprint_; }

 private:
  struct Work;
  void check(const EvaluationBatch& batch) const;
  void make_fingerprint(const EvaluationOptions& options);
  void remember(const JsonPlace& line);
  void keep_curves(Work& work);

  ExplainedModel& model_;
  std::vector<EvaluatedMethod> methods_;
  std::vector<EvaluatedMetric> metrics_;
  uint64_t seed_;
  Json fingerprint_;
  std::vector<std::string> missing_methods_, missing_metrics_;
  std::map<uint64_t, EvaluatedSample> samples_;
  std::vector<double> method_seconds_, metric_seconds_;
  std::optional<Journal> journal_;
  size_t curve_points_ = 0;  // that are kept
};

// A sample as a line of the journal has it.
EvaluatedSample evaluated_sample(const JsonPlace& place, size_t methods, size_t metrics);
int64_t number_of_sample(const JsonPlace& place);

// [method][metric]
std::vector<std::vector<Summary>> summarize_scores(const std::vector<const EvaluatedSample*>& samples, size_t methods,
                                                   size_t metrics, uint64_t seed);

}  // namespace ascribe::core
