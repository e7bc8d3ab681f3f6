#include "metrics/evaluation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "metrics/shared_passes.h"

namespace ascribe::core {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kTicks = 1000;  // of the progress of one method or metric
constexpr int64_t kMost = int64_t{1} << 53;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What may be wrong with a sample, a method or a metric, rather than with the machine or with us.
bool about_the_work(ErrorKind kind) {
  return kind != ErrorKind::internal && kind != ErrorKind::io && kind != ErrorKind::cancelled;
}

bool refuses(ErrorKind kind) { return about_the_work(kind) && kind != ErrorKind::numeric; }

// A score is a number, or the text that says why there is none.
Score score_from(const JsonPlace& place) {
  if (!place.json().is_text()) return {place.finite()};
  if (place.text().empty()) place.refuse("is empty; expected why there is no score");
  return undefined_score(place.text());
}

SampleFacts facts_from(const JsonPlace& sample) {
  SampleFacts facts{sample.at("label").whole(-1, kMost), sample.at("top").whole(-1, kMost), sample.number("covered")};
  if (sample.has("profile")) {
    for (const JsonPlace& share : sample.at("profile").items()) facts.profile.push_back(share.finite());
  }
  return facts;
}

// A list of the journal that has one item for each of `expected`.
std::vector<JsonPlace> items_of(const JsonPlace& list, size_t expected) {
  if (list.length() != expected) list.refuse(fmt::format("has {} items; expected {}", list.length(), expected));
  return list.items();
}

void add_seconds(std::vector<double>& seconds, const JsonPlace& list) {
  const std::vector<JsonPlace> more = items_of(list, seconds.size());
  for (size_t i = 0; i < seconds.size(); ++i) seconds[i] += more[i].finite();
}

std::vector<std::string> reasons_from(const JsonPlace& list, size_t expected) {
  items_of(list, expected);
  return list.texts();
}

std::string described(const Parameters& parameters, bool asked_for) {
  const std::string key = parameters.key();
  if (asked_for) return key;
  return key.empty() ? "if it suits" : key + " if it suits";
}

}  // namespace

Tensor EvaluatedMethod::baselines_for(const Question& question) const {
  if (!noise) return baselines.value_or(question.baselines);
  const Tensor around = question.baselines.cast(DType::f64);
  const auto centres = around.data<double>(), draws = noise->data<double>();
  const size_t row = centres.size() / static_cast<size_t>(question.baseline_count());
  Shape shape = around.shape();
  shape[0] = question.baseline_count() * static_cast<int64_t>(draws.size() / row);
  Tensor result(DType::f64, shape);
  auto values = result.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = centres[i / draws.size() * row + i % row] + draws[i % draws.size()];
  }
  return result;
}

// One batch at work.
struct Experiment::Work {
  Experiment& all;
  const Progress& progress;
  bool first;  // question 0 is the first sample of all
  std::vector<Question> questions = {};
  std::vector<uint64_t> streams = {};
  std::vector<std::string> names = {};
  std::vector<PixelMask> objects = {};
  std::vector<SampleFacts> facts = {};
  std::vector<std::vector<Attribution>> attributions = {};  // [method][question]
  std::vector<std::vector<std::string>> failures = {};      // why there is none
  std::vector<Scores> scores = {};                          // [metric][method][question]
  std::vector<double> method_seconds = {}, metric_seconds = {};
  SharedPasses shared = {};

  // Which of the questions, and for metrics which of the methods.
  using Some = std::vector<size_t>;

  Some everything() const {
    Some some(questions.size());
    for (size_t q = 0; q < some.size(); ++q) some[q] = q;
    return some;
  }

  template <class T>
  static std::vector<T> picked(const std::vector<T>& list, const Some& some) {
    std::vector<T> result;
    for (const size_t i : some) result.push_back(list[i]);
    return result;
  }

  Progress progress_of(const std::string& name, size_t step) const {
    if (!progress) return {};
    const auto steps = static_cast<int64_t>(all.methods_.size() + all.metrics_.size());
    progress(name, static_cast<int64_t>(step) * kTicks, steps * kTicks);
    return [this, name, step, steps](std::string_view, int64_t done, int64_t total) {
      const int64_t part = total > 0 ? std::min(kTicks, kTicks * done / total) : 0;
      progress(name, static_cast<int64_t>(step) * kTicks + part, steps * kTicks);
    };
  }

  // Notes why there is no answer for one question; decides about everything if it is the first.
  std::string reason(const Error& error, size_t question, bool asked_for, std::string& missing) const {
    if (refuses(error.kind())) {
      if (asked_for) throw error;
      if (first && question == 0) missing = error.what();
    }
    return error.what();
  }

  // Questions that fail together are asked one by one, so that none takes the others with it.
  void explain(size_t m, const Some& some, const Progress& inner) {
    const EvaluatedMethod& one = all.methods_[m];
    if (!all.missing_methods_[m].empty()) return;
    std::vector<Question> asked = picked(questions, some);
    for (Question& question : asked) question.baselines = one.baselines_for(question);
    try {
      std::vector<Attribution> answers = attribute(one.method, all.model_, asked, one.parameters, all.seed_, inner);
      for (size_t i = 0; i < some.size(); ++i) attributions[m][some[i]] = std::move(answers[i]);
      return;
    } catch (const Error& error) {
      if (!about_the_work(error.kind())) throw;
      if (some.size() == 1) {
        failures[m][some[0]] = reason(error, some[0], one.asked_for, all.missing_methods_[m]);
        return;
      }
    }
    for (const size_t q : some) explain(m, {q}, inner);
  }

  // Likewise for one metric.
  void measure(size_t k, const Some& some, const Some& methods, const Progress& inner) {
    const EvaluatedMetric& one = all.metrics_[k];
    if (!all.missing_metrics_[k].empty()) return;
    try {
      place(k, some, methods, score_together(one, some, methods, inner));
      return;
    } catch (const Error& error) {
      if (!about_the_work(error.kind())) throw;
      if (some.size() == 1) {
        const Score none = undefined_score(reason(error, some[0], one.asked_for, all.missing_metrics_[k]));
        place(k, some, methods, Scores(methods.size(), {none}));
        return;
      }
    }
    for (const size_t q : some) measure(k, {q}, methods, inner);
  }

  Scores score_together(const EvaluatedMetric& one, const Some& some, const Some& methods, const Progress& inner) {
    const std::vector<Question> asked = picked(questions, some);
    const std::vector<uint64_t> their_streams = picked(streams, some);
    std::vector<PixelMask> masks;
    if (one.metric.objects) masks = picked(objects, some);
    std::vector<std::vector<Attribution>> answers;
    std::vector<MethodExplanations> explanations;
    for (const size_t m : methods) answers.push_back(picked(attributions[m], some));
    for (size_t i = 0; i < methods.size(); ++i) {
      const EvaluatedMethod& method = all.methods_[methods[i]];
      explanations.push_back({method.method, method.parameters, answers[i]});
    }
    return score(one.metric,
                 {all.model_, asked, their_streams, explanations, masks, one.parameters, all.seed_, inner, &shared});
  }

  void place(size_t k, const Some& some, const Some& methods, Scores computed) {
    for (size_t i = 0; i < methods.size(); ++i) {
      for (size_t j = 0; j < some.size(); ++j) scores[k][methods[i]][some[j]] = std::move(computed[i][j]);
    }
  }

  // The questions that the same methods have answered, and whose objects are known if the metric needs them.
  std::map<Some, Some> groups(const Metric& metric) const {
    std::map<Some, Some> result;
    for (size_t q = 0; q < questions.size(); ++q) {
      if (metric.objects && objects[q].empty()) continue;
      Some methods;
      for (size_t m = 0; m < attributions.size(); ++m) {
        if (all.missing_methods_[m].empty() && failures[m][q].empty()) methods.push_back(m);
      }
      if (!methods.empty()) result[methods].push_back(q);
    }
    return result;
  }

  std::string why_not(size_t m, size_t k, size_t q) const {
    if (!all.missing_methods_[m].empty()) return all.missing_methods_[m];
    if (!all.missing_metrics_[k].empty()) return all.missing_metrics_[k];
    if (!failures[m][q].empty()) return failures[m][q];
    return "it is not known where the object is";
  }

  void take(const EvaluationBatch& batch) {
    for (size_t q = 0; q < batch.questions.size(); ++q) {
      if (all.knows(batch.streams[q])) continue;
      questions.push_back(batch.questions[q]);
      streams.push_back(batch.streams[q]);
      names.push_back(batch.names[q]);
      objects.push_back(batch.objects.empty() ? PixelMask{} : batch.objects[q]);
      facts.push_back(batch.facts.empty() ? SampleFacts{} : batch.facts[q]);
    }
  }

  void run() {
    const size_t methods = all.methods_.size(), count = questions.size();
    attributions.assign(methods, std::vector<Attribution>(count));
    failures.assign(methods, std::vector<std::string>(count));
    for (size_t m = 0; m < methods; ++m) {
      const auto start = Clock::now();
      explain(m, everything(), progress_of(all.methods_[m].method.name, m));
      method_seconds.push_back(seconds_since(start));
    }
    scores.assign(all.metrics_.size(), Scores(methods, std::vector<Score>(count)));
    for (size_t k = 0; k < all.metrics_.size(); ++k) {
      const auto start = Clock::now();
      const Progress inner = progress_of(all.metrics_[k].metric.name, methods + k);
      for (const auto& [who, some] : groups(all.metrics_[k].metric)) measure(k, some, who, inner);
      metric_seconds.push_back(seconds_since(start));
    }
  }

  Json score_json(size_t m, size_t k, size_t q) const {
    const Score& one = scores[k][m][q];
    if (!all.missing_metrics_[k].empty()) return why_not(m, k, q);
    if (!one.defined()) return one.undefined;
    return std::isfinite(one.value) ? Json(one.value) : Json(why_not(m, k, q));
  }

  Json sample_json(size_t q) const {
    Json table = Json::list();
    for (size_t m = 0; m < attributions.size(); ++m) {
      Json row = Json::list();
      for (size_t k = 0; k < scores.size(); ++k) row.push(score_json(m, k, q));
      table.push(std::move(row));
    }
    return Json::object({{"sample", streams[q]},
                         {"name", names[q]},
                         {"target", questions[q].target},
                         {"label", facts[q].label},
                         {"top", facts[q].top},
                         {"covered", facts[q].covered},
                         {"profile", facts[q].profile},
                         {"scores", std::move(table)}});
  }

  // As a line of the journal.
  Json line() const {
    Json samples = Json::list();
    for (size_t q = 0; q < questions.size(); ++q) samples.push(sample_json(q));
    return Json::object({{"samples", std::move(samples)},
                         {"method_seconds", method_seconds},
                         {"metric_seconds", metric_seconds},
                         {"methods_left_out", all.missing_methods_},
                         {"metrics_left_out", all.missing_metrics_}});
  }
};

Experiment::Experiment(ExplainedModel& model, std::vector<EvaluatedMethod> methods,
                       std::vector<EvaluatedMetric> metrics, const EvaluationOptions& options)
    : model_(model),
      methods_(std::move(methods)),
      metrics_(std::move(metrics)),
      seed_(options.seed),
      missing_methods_(methods_.size()),
      missing_metrics_(metrics_.size()),
      method_seconds_(methods_.size()),
      metric_seconds_(metrics_.size()) {
  if ((methods_.empty() || metrics_.empty()) && !options.facts_only) {
    fail(ErrorKind::argument, "evaluation", "nothing to do; expected at least one method and one metric");
  }
  std::set<std::string> names;
  for (const EvaluatedMethod& one : methods_) {
    if (!names.insert(one.method.name).second) {
      fail(ErrorKind::argument, one.method.name, "two methods have this name; expected one");
    }
  }
  for (size_t k = 0; k < metrics_.size(); ++k) {
    if (!metrics_[k].metric.objects || options.objects) continue;
    if (metrics_[k].asked_for) {
      fail(ErrorKind::unsupported, metrics_[k].metric.name,
           "this metric needs data that say where the object is: boxes in a table, or in XML files");
    }
    missing_metrics_[k] = "the data do not say where the object is";
  }
  make_fingerprint(options);
  if (options.journal.empty()) return;
  journal_.emplace(options.journal, fingerprint_, options.force);
  journal_->replay([this](const JsonPlace& line) { remember(line); });
}

void Experiment::make_fingerprint(const EvaluationOptions& options) {
  fingerprint_ = Json::object({{"ascribe_journal", 2},
                               {"version", ASCRIBE_VERSION},
                               {"precision", model_.real() == DType::f64 ? "f64" : "f32"},
                               {"seed", seed_}});
  fingerprint_.update(options.about);
  for (const EvaluatedMethod& one : methods_) {
    fingerprint_["method " + one.method.name] = described(one.parameters, one.asked_for);
  }
  for (const EvaluatedMetric& one : metrics_) {
    fingerprint_["metric " + one.metric.name] = described(one.parameters, one.asked_for);
  }
}

void Experiment::check(const EvaluationBatch& batch) const {
  const size_t count = batch.questions.size();
  require(batch.streams.size() == count && batch.names.size() == count &&
              (batch.objects.empty() || batch.objects.size() == count) &&
              (batch.facts.empty() || batch.facts.size() == count),
          "evaluation", "a batch has equally many of everything");
}

bool Experiment::all_asked_for() const {
  const auto asked_for = [](const auto& one) { return one.asked_for; };
  return std::all_of(methods_.begin(), methods_.end(), asked_for) &&
         std::all_of(metrics_.begin(), metrics_.end(), asked_for);
}

void Experiment::decide(const EvaluationBatch& batch) {
  check(batch);
  const Progress nobody;
  Work work{*this, nobody, true};
  work.take(batch);
  work.run();
}

Json Experiment::line_of(const EvaluationBatch& batch, const Progress& progress) {
  check(batch);
  Work work{*this, progress, false};
  work.take(batch);
  if (!work.questions.empty()) work.run();
  Json line = work.line();
  line.erase("method_seconds");
  line.erase("metric_seconds");
  return line;
}

void Experiment::add(const EvaluationBatch& batch, const Progress& progress) {
  check(batch);
  Work work{*this, progress, samples_.empty()};
  work.take(batch);
  if (work.questions.empty()) return;
  work.run();
  const Json line = work.line();
  if (journal_) journal_->append(line);
  // As it would be read, so that an interruption changes nothing.
  const Json read = parse_json(line.dump(-1), "evaluation", ErrorKind::internal);
  remember(JsonPlace(read, "evaluation", ErrorKind::internal));
  keep_curves(work);
}

void Experiment::keep_curves(Work& work) {
  for (size_t k = 0; k < metrics_.size(); ++k) {
    for (size_t m = 0; m < methods_.size(); ++m) {
      for (size_t q = 0; q < work.questions.size(); ++q) {
        Score& from = work.scores[k][m][q];
        if (from.curve.empty() || curve_points_ + from.curve.size() > kMostCurves) continue;
        curve_points_ += from.curve.size();
        KeptScores& kept = samples_.at(work.streams[q]).scores;
        Score with_curve = kept.at(m, k);
        with_curve.positions = std::move(from.positions);
        with_curve.curve = std::move(from.curve);
        kept.set(m, k, std::move(with_curve));
      }
    }
  }
}

void Experiment::remember(const JsonPlace& line) {
  for (const JsonPlace& one : line.at("samples").items()) {
    samples_[static_cast<uint64_t>(number_of_sample(one))] = evaluated_sample(one, methods_.size(), metrics_.size());
  }
  add_seconds(method_seconds_, line.at("method_seconds"));
  add_seconds(metric_seconds_, line.at("metric_seconds"));
  missing_methods_ = reasons_from(line.at("methods_left_out"), methods_.size());
  missing_metrics_ = reasons_from(line.at("metrics_left_out"), metrics_.size());
}

std::vector<std::vector<Summary>> Experiment::summaries() const {
  std::vector<const EvaluatedSample*> samples;
  for (const auto& [stream, sample] : samples_) samples.push_back(&sample);
  return summarize_scores(samples, methods_.size(), metrics_.size(), seed_);
}

int64_t number_of_sample(const JsonPlace& place) { return place.at("sample").whole(0, kMost); }

EvaluatedSample evaluated_sample(const JsonPlace& place, size_t methods, size_t metrics) {
  EvaluatedSample sample{place.text("name"), place.at("target").whole(0, kMost), {methods, metrics}, facts_from(place)};
  const std::vector<JsonPlace> rows = items_of(place.at("scores"), methods);
  for (size_t m = 0; m < methods; ++m) {
    const std::vector<JsonPlace> scores = items_of(rows[m], metrics);
    for (size_t k = 0; k < metrics; ++k) sample.scores.set(m, k, score_from(scores[k]));
  }
  return sample;
}

std::vector<std::vector<Summary>> summarize_scores(const std::vector<const EvaluatedSample*>& samples, size_t methods,
                                                   size_t metrics, uint64_t seed) {
  std::vector<std::vector<double>> lists;
  for (size_t m = 0; m < methods; ++m) {
    for (size_t k = 0; k < metrics; ++k) {
      std::vector<double>& values = lists.emplace_back();
      for (const EvaluatedSample* sample : samples) {
        if (const Score score = sample->scores.at(m, k); score.defined()) values.push_back(score.value);
      }
    }
  }
  const std::vector<Summary> flat = summarize(lists, seed);
  std::vector<std::vector<Summary>> result(methods);
  for (size_t m = 0; m < methods; ++m) {
    for (size_t k = 0; k < metrics; ++k) {
      Summary summary = flat[m * metrics + k];
      summary.undefined = std::ssize(samples) - summary.count;
      result[m].push_back(summary);
    }
  }
  return result;
}

}  // namespace ascribe::core
