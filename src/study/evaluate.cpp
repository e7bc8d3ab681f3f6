#include "study/evaluate.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "study/evaluating.h"
#include "study/sample_scorer.h"

namespace ascribe::core::study {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void take_scores(EvaluateResult& result, Experiment& experiment, const Wishes& wishes, uint64_t seed) {
  for (size_t m = 0; m < experiment.methods().size(); ++m) {
    const EvaluatedMethod& one = experiment.methods()[m];
    result.methods.push_back(
        {one.method.name, one.parameters.all(), experiment.method_seconds(m), experiment.left_out(m)});
  }
  for (size_t k = 0; k < experiment.metrics().size(); ++k) {
    const EvaluatedMetric& one = experiment.metrics()[k];
    result.metrics.push_back(
        {{one.metric.name, one.parameters.all(), experiment.metric_seconds(k), experiment.metric_left_out(k)},
         one.metric.better,
         one.metric.category});
  }
  result.samples.reserve(experiment.samples().size());
  for (auto& [index, sample] : experiment.take_samples()) {
    result.samples.push_back({std::move(sample), static_cast<int64_t>(index)});
  }
  sum_up(result, wishes.profile != nullptr, seed);
  result.settings = experiment.fingerprint();
  result.settings.erase("ascribe_journal");
}

}  // namespace

void check_evaluation(const EvaluateRequest& request) {
  std::vector<std::string> names;
  for (const ChosenMethod& one : choose_methods(request.methods, request.settings)) names.push_back(one.method.name);
  for (const auto* given : {&request.method_baselines, &request.method_noise}) {
    for (const auto& [name, rows] : *given) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail(ErrorKind::argument, name, "baselines for a method that is not evaluated");
      }
    }
  }
  const Wishes wishes = wishes_of(request);
  if (names.empty() && (!wishes.rating.empty() || wishes.profile == nullptr)) {
    fail(ErrorKind::argument, "method", "got none; expected at least one method for the metrics to rate");
  }
  for (const auto& [name, value] :
       {std::pair("samples", request.samples), std::pair("skip", request.skip), std::pair("batch", request.batch)}) {
    if (value < 0) fail(ErrorKind::argument, name, "got {}; expected 0 or more", value);
  }
  if (!(request.most_box >= 0 && request.most_box <= 1)) {
    fail(ErrorKind::argument, "most-box", "got {}; expected a share from 0 to 1", request.most_box);
  }
}

namespace {

EvaluateResult evaluate_data(const Subject& given, const EvaluateRequest& request, const std::string& input) {
  const auto start = Clock::now();
  Evaluating at(given, request, input);
  Experiment experiment = at.experiment();
  at.tell_notes_of_the_model();
  if (const size_t known = experiment.samples().size(); known > 0) {
    at.running.note(fmt::format("going on where an earlier run stopped: {} samples are done", known));
  }
  EvaluateResult result;
  SampleScorer scorer(at, experiment);
  if (request.planned) {
    result.planned = scorer.cost(at.methods, at.wishes.rating);
    request.planned(*result.planned);
  }
  result.seen = scorer.run();
  if (experiment.samples().empty()) {
    scorer.complain_of_none();
  }
  result.model = at.subject.path();
  result.model_hash = at.subject.hash();
  result.contents = at.contents;
  result.data = name_of_data(request);
  result.data_description = at.data->description;
  result.notes = at.running.notes();
  take_scores(result, experiment, at.wishes, request.run.seed);
  report(at.running.progress(), "", 1, 1);
  result.journal = request.journal;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

EvaluateResult evaluate(const Subject& subject, const EvaluateRequest& request) {
  check_evaluation(request);
  std::string input;
  const EvaluateRequest whole = with_data(subject, request, input);
  return evaluate_data(subject, whole, input);
}

std::shared_ptr<Dataset> open_samples(const Subject& subject, const EvaluateRequest& request) {
  std::string input;
  return open_data(with_data(subject, request, input));
}

WorkCost cost_of_evaluation(const Subject& subject, const EvaluateRequest& request) {
  EvaluateRequest without_journal = request;
  without_journal.journal.clear();
  check_evaluation(without_journal);
  Evaluating at(subject, without_journal, "");
  Experiment experiment = at.experiment();
  SampleScorer scorer(at, experiment);
  return scorer.cost(at.methods, at.wishes.rating);
}

void forget_journal(const EvaluateResult& result) {
  std::error_code ignored;
  if (!result.journal.empty()) std::filesystem::remove(result.journal, ignored);
}

}  // namespace ascribe::core::study
