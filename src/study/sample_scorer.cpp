#include "study/sample_scorer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <malloc.h>

#include "base/random.h"
#include "metrics/object_mask.h"
#include "passes/choices.h"
#include "study/parts/shard.h"

namespace ascribe::core::study {

namespace {

constexpr uint64_t kShuffle = 0x73687566666c65;  // the stream of the draws here
constexpr int64_t kBatchesBetweenTrims = 32;
constexpr size_t kLooks = 64;  // samples that are tried until one tells what the work costs

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

SampleScorer::SampleScorer(Evaluating& at, Experiment& experiment)
    : data_(*at.data),
      experiment_(experiment),
      profile_(at.wishes.profile),
      model_(at.model()),
      request_(at.request),
      running_(at.running),
      asker_(at.subject, at.request.question, at.running.seed(), notes_),
      batch_(at.request.batch > 0 ? at.request.batch : usual_batch(element_count(asker_.row()))) {}

WorkCost SampleScorer::cost(std::span<const ChosenMethod> methods, std::vector<ChosenMetric> metrics) {
  const std::vector<int64_t> order = order_of_samples();
  Asked first;
  std::string why;
  for (size_t i = 0; i < std::min(kLooks, order.size()) && first.questions.empty(); ++i) {
    first = ask({order[i]});
    if (why.empty() && !first.failures.empty()) why = first.failures[0].reason;
  }
  notes_.clear();  // they are said when the sample is scored
  if (first.questions.empty()) fail(ErrorKind::numeric, name_of_data(request_), "no sample can be read: {}", why);
  const Question& question = first.questions[0].question;
  if (profile_ != nullptr)
    metrics.push_back({*profile_, {}, Parameters(profile_->name, profile_->parameters, {}), true});
  const bool kinks = has_kinks(model_.graph());
  const WorkCost one = cost_of_row(methods, metrics, {question.players, question.baseline_count(), kinks});
  const int64_t left = wanted(order) - std::ssize(experiment_.samples());
  return of_rows(one, std::max<int64_t>(left, 0), measured_pace(model_, question, steady_seconds));
}

// As many candidates at a time as samples are still wanted, each time in rising order, which streams like best.
SamplesSeen SampleScorer::run() {
  const std::vector<int64_t> order = order_of_samples();
  wanted_ = wanted(order);
  running_.begin(wanted_);
  for (size_t next = 0; taken_ < wanted_ && next < order.size();) {
    const size_t count = std::min(static_cast<size_t>(wanted_ - taken_), order.size() - next);
    const auto begin = order.begin() + static_cast<int64_t>(next);
    std::vector<int64_t> wave(begin, begin + static_cast<int64_t>(count));
    next += count;
    std::sort(wave.begin(), wave.end());
    // Cut at the same places whatever is known, so that an interruption does not even change the rounding.
    for (size_t from = 0; from < count; from += static_cast<size_t>(batch_)) {
      score(std::span(wave).subspan(from, std::min(static_cast<size_t>(batch_), count - from)));
    }
  }
  return seen_;
}

void SampleScorer::complain_of_none() const {
  const std::string failed =
      seen_.failed > 0 ? fmt::format(", {} that cannot be asked about; the first: {}", seen_.failed, first_failure_)
                       : "";
  fail(seen_.failed == seen_.read ? ErrorKind::numeric : ErrorKind::unsupported, name_of_data(request_),
       "no sample is left: {} read, {} wrong, {} with too large a box or none{}", seen_.read, seen_.wrong,
       seen_.large + seen_.boxless, failed);
}

int64_t SampleScorer::wanted(const std::vector<int64_t>& order) const {
  return request_.samples == 0 ? std::ssize(order) : std::min(request_.samples, std::ssize(order));
}

std::vector<int64_t> SampleScorer::order_of_samples() const {
  std::vector<int64_t> order(static_cast<size_t>(data_.size()));
  std::iota(order.begin(), order.end(), 0);
  if (request_.shuffle) order = Random(running_.seed(), kShuffle).permutation(0, data_.size());
  order.erase(order.begin(), order.begin() + request_.skip);
  return order;
}

void SampleScorer::score(std::span<const int64_t> candidates) {
  std::vector<int64_t> indices;
  for (const int64_t index : candidates) {
    const auto stream = static_cast<uint64_t>(number_of(index));
    if (!experiment_.knows(stream)) {
      indices.push_back(index);
      continue;
    }
    count(experiment_.samples().at(stream).facts);
    ++taken_;
  }
  Asked asked = ask(indices);
  taken_ += std::ssize(asked.failures);  // nobody takes their place, so that parts of the work find the same samples
  const EvaluationBatch batch = batch_of(std::move(asked));
  running_.note(new_notes());
  experiment_.add(batch, progress_of(batch.questions.size()));
  taken_ += std::ssize(batch.questions);
#ifdef __GLIBC__
  // Scores that stay lie between batches that do not, whose memory the allocator would keep.
  if (++batches_ % kBatchesBetweenTrims == 0) malloc_trim(0);
#endif
}

SampleScorer::Asked SampleScorer::ask_together(const std::vector<int64_t>& indices) {
  std::vector<Sample> samples;
  for (const int64_t index : indices) {
    poll();
    samples.push_back(data_.read(index));
  }
  return {indices, asker_.ask(samples, indices), {}};
}

// Samples that fail together are asked one by one, so that none takes the others with it.
SampleScorer::Asked SampleScorer::ask(const std::vector<int64_t>& indices) {
  const size_t notes = notes_.size();
  try {
    return ask_together(indices);
  } catch (const Error& error) {
    if (!of_one_sample(error.kind())) throw;
    notes_.resize(notes);
  }
  Asked asked;
  for (const int64_t index : indices) {
    try {
      Asked one = ask_together({index});
      asked.indices.push_back(index);
      asked.questions.push_back(std::move(one.questions[0]));
    } catch (const Error& error) {
      if (!of_one_sample(error.kind())) throw;
      asked.failures.push_back({number_of(index), fmt::format("sample {}", number_of(index)), error.what()});
    }
  }
  return asked;
}

EvaluationBatch SampleScorer::batch_of(Asked asked) {
  for (const RowFailure& failure : asked.failures) {
    ++seen_.read;
    ++seen_.failed;
    if (first_failure_.empty()) first_failure_ = failure.reason;
    notes_.push_back(fmt::format("{} is left out: {}", failure.source, failure.reason));
  }
  EvaluationBatch batch;
  for (size_t i = 0; i < asked.questions.size(); ++i) {
    SampleQuestion& one = asked.questions[i];
    SampleFacts facts{one.label, one.top, {}};
    if (!one.object.empty()) facts.covered = covered(one.object);
    if (!takes(facts)) continue;
    if (profile_ != nullptr) facts.profile = profile_->profile(model_, one.question, progress_of(1));
    batch.names.push_back(one.question.source);
    batch.questions.push_back(std::move(one.question));
    batch.streams.push_back(static_cast<uint64_t>(number_of(asked.indices[i])));
    batch.objects.push_back(std::move(one.object));
    batch.facts.push_back(facts);
  }
  return batch;
}

void SampleScorer::count(const SampleFacts& facts) {
  ++seen_.read;
  if (facts.label >= 0) ++seen_.labelled;
  if (facts.label == facts.top) ++seen_.correct;
}

bool SampleScorer::takes(const SampleFacts& facts) {
  count(facts);
  int64_t* reason = nullptr;
  if (request_.only_correct && facts.label != facts.top) reason = &seen_.wrong;
  else if (request_.most_box > 0 && !facts.covered) reason = &seen_.boxless;
  else if (request_.most_box > 0 && *facts.covered > request_.most_box) reason = &seen_.large;
  if (reason != nullptr) ++*reason;
  return reason == nullptr;
}

std::vector<std::string> SampleScorer::new_notes() {
  std::vector<std::string> notes(notes_.begin() + static_cast<int64_t>(told_), notes_.end());
  told_ = notes_.size();
  return notes;
}

Progress SampleScorer::progress_of(size_t count) const {
  if (!running_.progress()) return {};
  return [this, count](std::string_view task, int64_t done, int64_t total) {
    const double now = static_cast<double>(taken_) +
                       static_cast<double>(count) * static_cast<double>(done) / static_cast<double>(total);
    running_.progress()(task, std::max<int64_t>(0, std::min(static_cast<int64_t>(now), wanted_ - 1)),
                        std::max<int64_t>(1, wanted_));
  };
}

// ---- for work in parts ----

std::vector<int64_t> SampleScorer::wanted_in_parts() const {
  std::vector<int64_t> order = order_of_samples();
  const int64_t count = wanted(order);
  if (count < std::ssize(order) && (request_.only_correct || request_.most_box > 0)) {
    fail(ErrorKind::argument, request_.only_correct ? "only-correct" : "most-box",
         "of a number of samples (`samples` {}) it takes the next one for each that it leaves out, which a part of the "
         "work cannot know; expected `samples` 0, for all",
         request_.samples);
  }
  order.resize(static_cast<size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

void SampleScorer::decide(std::span<const int64_t> wanted) {
  if (experiment_.all_asked_for()) return;
  const SamplesSeen before = seen_;
  for (const int64_t index : wanted) {
    const EvaluationBatch one = batch_of(ask({index}));
    if (one.questions.empty()) continue;
    experiment_.decide(one);
    break;
  }
  seen_ = before;
  first_failure_.clear();
  notes_.resize(told_);
}

Json SampleScorer::line_of(std::span<const int64_t> batch, const Progress& progress) {
  seen_ = {};
  wanted_ = std::ssize(batch);
  Asked asked = ask({batch.begin(), batch.end()});
  Json failures = Json::list();
  for (const RowFailure& one : asked.failures) {
    failures.push(Json::object({{"sample", one.number}, {"name", one.source}, {"error", one.reason}}));
  }
  const EvaluationBatch scored = batch_of(std::move(asked));
  Json line = experiment_.line_of(scored, progress);
  line["failures"] = std::move(failures);
  line["seen"] = seen_;
  const std::vector<std::string> notes = new_notes();
  line["notes"] = notes;
  running_.note(notes);
  return line;
}

}  // namespace ascribe::core::study
