#include <algorithm>
#include <cmath>
#include <limits>

#include "api/part_state.h"
#include "api/recorded.h"
#include "report/evaluation_files.h"
#include "study/evaluate.h"
#include "study/parts/evaluate_part.h"

namespace ascribe {

struct Evaluation::State {
  core::study::EvaluateResult result;
  std::string record = {};
};

namespace {

namespace study = core::study;

// Where the method or metric of this name stands.
template <class List>
size_t place_of(const List& list, const std::string& name, const char* what) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  if (found == list.end() || !found->left_out.empty()) {
    core::fail(core::ErrorKind::argument, what, "there are no scores of '{}'", name);
  }
  return static_cast<size_t>(found - list.begin());
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) {
    if (one.left_out.empty()) names.push_back(one.name);
  }
  return names;
}

ScoreSummary seen(const core::Summary& s) {
  return {s.count, s.undefined, s.mean, s.standard_error, s.low, s.high, s.median};
}

study::EvaluateRequest request_of(const std::string& data, const std::vector<Method>& methods,
                                  const std::vector<std::string>& metrics, const Question& question,
                                  const Options::State& how) {
  study::EvaluateRequest request;
  request.data = data;
  request.options.format = how.format;
  if (!how.part.empty()) request.options.part = how.part;
  request.options.labels = how.label_from;
  request.options.boxes = how.boxes;
  request.options.annotations = how.annotations;
  request.question = question.state().request;
  request.methods = wishes(methods);
  request.settings = how.settings;
  request.metrics = metrics;
  request.metric_settings = how.metric_settings;
  if (how.given.contains("samples")) request.samples = how.samples;
  else if (data.empty()) request.samples = 0;  // whoever has rows in memory means all of them
  request.skip = how.skip;
  request.batch = how.batch;
  request.shuffle = how.shuffle;
  request.only_correct = how.only_correct;
  request.most_box = how.most_box;
  request.journal = how.journal;
  request.force = how.force;
  request.facts = how.facts;
  request.run = how.run;
  return request;
}

}  // namespace

namespace {

Evaluation evaluated(const study::Subject& subject, const study::EvaluateRequest& request, const Options::State& how) {
  const auto state = recorded<Evaluation::State>(how, subject, request, study::evaluate(subject, request));
  study::forget_journal(state->result);  // it is whole, and the caller has it
  return Evaluation(state);
}

}  // namespace

Evaluation Model::evaluate(const std::string& data, const std::vector<Method>& methods,
                           const std::vector<std::string>& metrics, const Question& question, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("evaluate", {"set", "set_metric", "samples", "skip", "batch", "shuffle", "only_correct", "most_box",
                           "format", "part", "label_from", "boxes", "annotations", "journal", "force", "record"});
    return evaluated(state_->subject, request_of(data, methods, metrics, question, how), how);
  });
}

Evaluation Model::evaluate(const Question& question, const std::vector<Method>& methods,
                           const std::vector<std::string>& metrics, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("evaluate of rows in memory", {"set", "set_metric", "samples", "skip", "batch", "shuffle", "only_correct",
                                             "most_box", "classes", "object_boxes", "journal", "force", "record"});
    return evaluated(state_->subject, request_of("", methods, metrics, question, how), how);
  });
}

Part Model::evaluate_part(const std::string& data, const std::vector<Method>& methods,
                          const std::vector<std::string>& metrics, const std::string& folder, const Question& question,
                          const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("evaluate_part",
              {"set", "set_metric", "samples", "skip", "batch", "shuffle", "only_correct", "most_box", "format", "part",
               "label_from", "boxes", "annotations", "classes", "object_boxes", "force", "shard", "items"});
    return seen(study::evaluate_part(state_->subject, request_of(data, methods, metrics, question, how),
                                     part_request(folder, how)));
  });
}

Evaluation v1::merged_evaluation(const std::string& folder) {
  return translated([&] {
    const study::WholeWork whole(folder);
    whole.check();
    if (whole.header().kind != "evaluate") {
      core::fail(core::ErrorKind::argument, folder, "these are parts of kind '{}'; expected 'evaluate'",
                 whole.header().kind);
    }
    return Evaluation(made<Evaluation::State>(study::merged_evaluation(whole)));
  });
}

std::vector<std::string> Evaluation::methods() const { return names_of(state_->result.methods); }
std::vector<std::string> Evaluation::metrics() const { return names_of(state_->result.metrics); }

ScoreSummary Evaluation::summary(const std::string& method, const std::string& metric) const {
  return translated([&]() -> ScoreSummary {
    const study::EvaluateResult& result = state_->result;
    return seen(
        result.summaries[place_of(result.methods, method, "method")][place_of(result.metrics, metric, "metric")]);
  });
}

std::vector<double> Evaluation::scores(const std::string& method, const std::string& metric) const {
  return translated([&] {
    const study::EvaluateResult& result = state_->result;
    const size_t m = place_of(result.methods, method, "method"), k = place_of(result.metrics, metric, "metric");
    std::vector<double> scores;
    for (const study::ScoredSample& sample : result.samples) {
      const core::Score score = sample.scores.at(m, k);
      scores.push_back(score.defined() ? score.value : std::numeric_limits<double>::quiet_NaN());
    }
    return scores;
  });
}

std::vector<std::string> Evaluation::why_undefined(const std::string& method, const std::string& metric) const {
  return translated([&] {
    const study::EvaluateResult& result = state_->result;
    const size_t m = place_of(result.methods, method, "method"), k = place_of(result.metrics, metric, "metric");
    std::vector<std::string> reasons;
    for (const study::ScoredSample& sample : result.samples) reasons.push_back(sample.scores.at(m, k).undefined);
    return reasons;
  });
}

ScoreCurve Evaluation::curve(const std::string& method, const std::string& metric) const {
  return translated([&]() -> ScoreCurve {
    const study::EvaluateResult& result = state_->result;
    study::MeanCurve curve =
        mean_curve(result, place_of(result.methods, method, "method"), place_of(result.metrics, metric, "metric"));
    return {std::move(curve.positions), std::move(curve.mean), std::move(curve.standard_errors), curve.samples};
  });
}

ScoreCurve Evaluation::curve(const std::string& method, const std::string& metric, std::size_t sample) const {
  return translated([&]() -> ScoreCurve {
    const study::EvaluateResult& result = state_->result;
    const size_t m = place_of(result.methods, method, "method"), k = place_of(result.metrics, metric, "metric");
    if (sample >= result.samples.size()) {
      core::fail(core::ErrorKind::argument, "sample", "there is no number {}; expected less than {}", sample,
                 result.samples.size());
    }
    const core::Score score = result.samples[sample].scores.at(m, k);
    return {score.positions, score.curve, {}, score.curve.empty() ? 0 : 1};
  });
}

std::size_t Evaluation::samples() const { return state_->result.samples.size(); }
std::vector<std::string> Evaluation::sample_names() const {
  std::vector<std::string> list;
  for (const auto& sample : state_->result.samples) list.push_back(sample.name);
  return list;
}
std::vector<int64_t> Evaluation::sample_numbers() const {
  std::vector<int64_t> list;
  for (const auto& sample : state_->result.samples) list.push_back(sample.index);
  return list;
}
std::vector<int64_t> Evaluation::sample_classes() const {
  std::vector<int64_t> list;
  for (const auto& sample : state_->result.samples) list.push_back(sample.facts.label);
  return list;
}
std::vector<int64_t> Evaluation::predicted_classes() const {
  std::vector<int64_t> list;
  for (const auto& sample : state_->result.samples) list.push_back(sample.facts.top);
  return list;
}

std::vector<ScoreSummary> Evaluation::order_spectrum() const {
  std::vector<ScoreSummary> list;
  if (!state_->result.spectrum) return list;
  for (const core::Summary& summary : state_->result.spectrum->orders) list.push_back(seen(summary));
  return list;
}

std::vector<LeftOut> Evaluation::left_out() const {
  std::vector<LeftOut> list;
  for (const auto& one : state_->result.methods) {
    if (!one.left_out.empty()) list.push_back({one.name, one.left_out});
  }
  for (const auto& one : state_->result.metrics) {
    if (!one.left_out.empty()) list.push_back({one.name, one.left_out});
  }
  return list;
}

const std::vector<std::string>& Evaluation::notes() const { return state_->result.notes; }
std::string Evaluation::json() const { return to_json(state_->result).dump(); }
std::string Evaluation::record_json() const { return state_->record; }
std::string Evaluation::csv() const { return summary_table(state_->result).csv(); }
std::string Evaluation::scores_csv() const { return study::scores_csv(state_->result); }
std::string Evaluation::markdown() const { return to_markdown(state_->result); }
void Evaluation::save(const std::string& folder, bool force) const {
  translated([&] {
    const study::EvaluateResult& result = state_->result;
    write_folder(folder,
                 with_record(core::evaluation_files(result, to_json(result), to_markdown(result)), state_->record),
                 force);
  });
}

}  // namespace ascribe
