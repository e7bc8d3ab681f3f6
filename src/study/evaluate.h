// evaluate: methods rated by metrics on the samples of a data set (docs/howto/evaluate.md).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table.h"
#include "data/given_dataset.h"
#include "data/open_dataset.h"
#include "metrics/evaluation.h"
#include "study/choice.h"
#include "study/question.h"
#include "study/records/content_hash.h"
#include "study/work_cost.h"

namespace ascribe::core::study {

struct EvaluateRequest {
  std::string data = {};                       // a data set: what open_dataset takes
  std::shared_ptr<Dataset> dataset = nullptr;  // or one that is open already; `data` is what to call it
  DatasetOptions options = {};                 // of `data`; columns and classes come from the question
  // Its rows are the samples if there are no `data`: one array, whose first axis counts them, or images, one each. The
  // target may also be "label", of the sample.
  QuestionRequest question = {};
  GivenFacts facts = {};                                // of such samples
  std::vector<MethodWish> methods = {};                 // may be the caller's own
  std::vector<std::string> settings = {};               // [METHOD.]KEY=VALUE
  std::map<std::string, Tensor> method_baselines = {};  // rows in place of the question's, for a method by its name
  std::map<std::string, Tensor> method_noise = {};      // or rows that are added to the question's
  std::vector<std::string> metrics = {};
  std::vector<std::string> metric_settings = {};
  int64_t samples = 100;      // 0: all
  int64_t skip = 0;           // so many are passed over first
  int64_t batch = 0;          // at a time; 0: as their size suggests
  bool shuffle = false;       // from all over the data, as the seed has it
  bool only_correct = false;  // whose class the model gets right
  double most_box = 0;        // whose boxes cover at most this share of the image; 0: any
  // Where finished batches are kept, so that work that was stopped goes on; empty: nowhere. Its folder is made if the
  // one above is there. Of methods of the caller's own it knows the name only.
  std::string journal = {};
  bool force = false;  // a journal of other work is thrown away
  // Told what the work costs, before it begins; a row is timed for it. Nobody: nothing is timed.
  std::function<void(const WorkCost&)> planned = {};
  Run run = {};
};

// What was seen of the samples, besides their scores.
struct SamplesSeen {
  int64_t read = 0;                   // scored or left out
  int64_t labelled = 0, correct = 0;  // of these, whose class is known, and whose class the model says
  int64_t wrong = 0;                  // left out by only_correct
  int64_t large = 0, boxless = 0;     // left out by most_box: the box is too large, or there is none
  int64_t failed = 0;                 // left out because they cannot be asked about: unreadable, or not finite
};
Json to_json(const SamplesSeen& seen);

// A method as it took part.
struct Rated {
  std::string name;
  std::map<std::string, std::string, std::less<>> parameters;
  double seconds = 0;    // of earlier runs too
  std::string left_out;  // why it has no scores; empty: it has
};

struct RatedMetric : Rated {
  Better better = Better::higher;
  MetricCategory category = MetricCategory::faithfulness;
};

struct ScoredSample : EvaluatedSample {
  int64_t index = 0;  // in the data set
};

// How the strength of all effects is shared out among numbers of players (metrics/order_spectrum.cpp).
struct Spectrum {
  std::vector<Summary> orders;  // of the samples' shares; [0]: single players
  int64_t undefined = 0;        // samples without any effect, which are left out
};

struct EvaluateResult {
  std::string model, model_hash;       // its path, and SHA-256 of the file
  std::string data, data_description;  // its path
  SamplesSeen seen;
  std::vector<Rated> methods;
  std::vector<RatedMetric> metrics;
  std::vector<ScoredSample> samples;            // by number in the data set
  std::vector<std::vector<Summary>> summaries;  // [method][metric]
  std::optional<Spectrum> spectrum;             // if it was asked for; a sample's own is its `facts.profile`
  Json settings;                                // everything that determines the scores
  std::vector<Content> contents;                // the hashes of everything that it names, without the model
  std::vector<std::string> notes;
  std::optional<WorkCost> planned;  // what was foreseen of this run, if somebody wanted to know
  double seconds = 0;               // of this run
  std::string journal;              // as in the request; forget_journal deletes it

  bool best(size_t method, size_t metric) const;  // no method has a better mean
  std::vector<size_t> methods_shown() const;      // those that are not left out
  std::vector<size_t> metrics_shown() const;
};

// The curves that scores of one method and metric sum up, averaged over the samples: straight between their positions.
struct MeanCurve {
  std::vector<double> positions, mean, standard_errors;  // of all samples' positions; no errors of one sample
  int64_t samples = 0;                                   // that have one, and for which there was room
};
MeanCurve mean_curve(const EvaluateResult& result, size_t method, size_t metric);

EvaluateResult evaluate(const Subject& subject, const EvaluateRequest& request);

// The samples of a request as evaluate goes through them.
std::shared_ptr<Dataset> open_samples(const Subject& subject, const EvaluateRequest& request);

// What it would cost; nothing is evaluated, and no journal is written.
WorkCost cost_of_evaluation(const Subject& subject, const EvaluateRequest& request);

// Complains of methods and metrics that there are not, and of numbers that cannot be meant. evaluate does so too; this
// is for callers who want to know before they open a model.
void check_evaluation(const EvaluateRequest& request);

// When the results are written.
void forget_journal(const EvaluateResult& result);

Json to_json(const EvaluateResult& result);
Table summary_table(const EvaluateResult& result);     // a line for each method and metric
std::string scores_csv(const EvaluateResult& result);  // a line for each sample and method, a column for each metric
// For people: a line for each method, a column for some of the metrics, means with intervals.
Table spectrum_table(const EvaluateResult& result);  // for people
Table profiles_table(const EvaluateResult& result);  // a line for each sample, a column for each order
Table means_table(const EvaluateResult& result, std::span<const size_t> metrics);
std::string samples_text(const EvaluateResult& result);  // "20 samples; the model gets 18 of 20 right (90.0 %)"
// What is left out and why, and which samples have no score.
std::vector<std::string> gaps_of(const EvaluateResult& result);
std::string to_markdown(const EvaluateResult& result);  // a page of the above

}  // namespace ascribe::core::study
