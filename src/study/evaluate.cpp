#include "study/evaluate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <numeric>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/random.h"
#include "base/sha256.h"
#include "metrics/object_mask.h"
#include "passes/choices.h"
#include "study/asked.h"
#include "study/records/content_hash.h"
#include "study/sample_questions.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kShuffle = 0x73687566666c65;  // the stream of the draws here
constexpr int64_t kElementsPerBatch = int64_t{1} << 20, kLargestBatch = 64;

double steady_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// ---- what is evaluated ----

std::string name_of_data(const EvaluateRequest& request) { return request.data.empty() ? "data" : request.data; }

void check_data(const EvaluateRequest& request, const Dataset& data) {
  if (!data.labelled && (request.only_correct || request.question.target == "label")) {
    fail(ErrorKind::argument, request.only_correct ? "only-correct" : "target",
         "the data do not say their classes ({}); `{}` may name them", data.description,
         request.dataset ? "classes" : "label-from");
  }
  if (!data.boxed && request.most_box > 0) {
    fail(ErrorKind::argument, "most-box", "the data have no boxes ({})", data.description);
  }
  if (request.skip >= data.size()) {
    fail(ErrorKind::argument, "skip", "got {}; the data have {} samples", request.skip, data.size());
  }
}

std::shared_ptr<Dataset> open_data(const EvaluateRequest& request) {
  std::shared_ptr<Dataset> data = request.dataset;
  if (!data) {
    DatasetOptions options = request.options;
    options.columns = request.question.rows.columns;
    options.classes = labels_of(request.question);
    data = open_dataset(request.data, options);
  }
  check_data(request, *data);
  return data;
}

// Rows of the question as a data set.
std::shared_ptr<Dataset> dataset_of(const RowSource& rows, const GivenFacts& facts) {
  if (rows.arrays.empty()) {
    std::vector<GivenImage> images;
    for (const std::string& file : rows.files) images.push_back({file, {}});
    for (const FileBytes& file : rows.contents) images.push_back({file.name, file.bytes});
    return dataset_of_images(std::move(images), facts);
  }
  if (rows.arrays.size() > 1 || !rows.files.empty() || !rows.contents.empty()) {
    fail(ErrorKind::unsupported, "rows", "samples are one array, or images; got {} arrays and {} files",
         rows.arrays.size(), rows.files.size() + rows.contents.size());
  }
  return dataset_of_rows(rows.arrays[0].values, facts, rows.names, rows.feature_names);
}

// The request with its rows as a data set.
EvaluateRequest with_dataset(const Subject& subject, const EvaluateRequest& given) {
  EvaluateRequest request = given;
  RowSource& rows = request.question.rows;
  if (rows.arrays.size() == 1 && subject.open_inputs().empty()) {
    const InputSlot slot = input_slot(subject.model(), sample_input(subject), DType::f64);
    Tensor& values = rows.arrays[0].values;
    if (values.shape() == slot.row) values = values.reshaped(with_rows(slot.row, 1));
  }
  request.dataset = dataset_of(rows, given.facts);
  if (request.data.empty()) request.data = rows.arrays.empty() ? "images" : "array";
  rows.arrays.clear();
  rows.files.clear();
  rows.contents.clear();
  return request;
}

void check_input(const Subject& subject, const std::string& name) {
  if (name.empty()) return;
  const std::string& taken = subject.outer().graph().inputs[sample_input(subject)].name;
  if (name != taken) fail(ErrorKind::argument, "input", "got samples for '{}'; expected them for '{}'", name, taken);
}

std::vector<std::string> shape_texts(const Subject& subject) {
  std::vector<std::string> texts;
  for (const auto& [name, shape] : subject.shapes()) {
    texts.push_back(fmt::format("{}{}{}", name, name.empty() ? "" : "=", fmt::join(shape, "x")));
  }
  return texts;
}

std::string players_text(const QuestionRequest& question) {
  if (question.owners.empty()) return question.players;
  const auto* memory = reinterpret_cast<const char*>(question.owners.data());
  return fmt::format("owners {}", sha256({memory, question.owners.size() * sizeof(int32_t)}));
}

// Everything besides methods and metrics that the scores depend on.
Json about(const Subject& subject, const EvaluateRequest& request, const Dataset& data,
           const std::vector<Content>& contents) {
  const QuestionRequest& question = request.question;
  const std::string hash = subject.hash();
  Json json = Json::object(
      {{"model", hash.empty() ? subject.path() : hash},
       {"data", fmt::format("{}, {}", name_of_data(request), data.description)},
       {"part", request.options.part},
       {"label-from", request.options.labels},
       {"boxes", request.options.boxes},
       {"annotations", request.options.annotations},
       {"columns", question.rows.columns},
       {"preprocess", question.rows.preprocess},
       {"shape", shape_texts(subject)},
       {"players", players_text(question)},
       {"baseline", question.baselines.empty() ? question.baseline_or_zero() : "given " + hash_of(question.baselines)},
       {"target", question.target_text()},
       {"explain", question.explain},
       {"output", question.output},
       {"samples", request.samples},
       {"skip", request.skip},
       {"shuffle", request.shuffle},
       {"only-correct", request.only_correct},
       {"most-box", request.most_box}});
  if (!question.at.empty()) json["at"] = question.at;
  const Json hashes = hashes_by_role(contents);
  for (const JsonMember& member : hashes.members()) json[fmt::format("sha256 of the {}", member.key)] = member.value;
  return json;
}

std::vector<EvaluatedMethod> evaluated(const std::vector<ChosenMethod>& methods, const EvaluateRequest& request,
                                       const Shape& row) {
  std::vector<EvaluatedMethod> list;
  for (const ChosenMethod& one : methods) {
    const auto own = request.method_baselines.find(one.method.name);
    const auto noise = request.method_noise.find(one.method.name);
    list.push_back({one.method, one.parameters, one.asked_for, {}, {}});
    if (noise != request.method_noise.end()) list.back().noise = given_baselines(noise->second, row);
    if (own != request.method_baselines.end()) list.back().baselines = given_baselines(own->second, row);
  }
  return list;
}

std::vector<EvaluatedMetric> evaluated(const std::vector<ChosenMetric>& metrics) {
  std::vector<EvaluatedMetric> list;
  for (const ChosenMetric& one : metrics) list.push_back({one.metric, one.parameters, one.asked_for});
  return list;
}

// What is asked for, parted: metrics that rate methods, and the one that looks at the model alone.
struct Wishes {
  std::vector<ChosenMetric> rating;
  const Metric* profile = nullptr;
};

Wishes wishes_of(const EvaluateRequest& request) {
  Wishes wishes;
  for (ChosenMetric& one : choose_metrics(request.metrics, request.metric_settings)) {
    if (one.metric.rates()) wishes.rating.push_back(std::move(one));
    else wishes.profile = &one.metric;
  }
  return wishes;
}

Experiment make_experiment(const Subject& subject, const EvaluateRequest& request, const Dataset& data,
                           const std::vector<Content>& contents, const std::vector<ChosenMethod>& methods,
                           const Wishes& wishes) {
  ExplainedModel& model = subject.explained(options_for_any_row(request.question, subject.outer().graph()));
  EvaluationOptions options;
  options.about = about(subject, request, data, contents);
  options.seed = request.run.seed;
  options.objects = data.boxed;
  options.facts_only = wishes.profile != nullptr;
  if (wishes.profile != nullptr) options.about["describes"] = wishes.profile->name;
  options.force = request.force;
  options.journal = request.journal;
  // The folder of the results may hold the journal, so it is there from the beginning.
  const auto folder = std::filesystem::path(request.journal).parent_path();
  if (!folder.empty()) make_folder(folder);
  return {model, evaluated(methods, request, model.row()), evaluated(wishes.rating), std::move(options)};
}

// ---- the samples, batch by batch ----

// Which samples are taken depends on the seed, and on what the model says of them where only those it gets right are
// wanted; never on the batches.
class SampleScorer {
 public:
  SampleScorer(const Subject& subject, Dataset& data, Experiment& experiment, const EvaluateRequest& request,
               Running& running, const Metric* profile)
      : data_(data),
        experiment_(experiment),
        profile_(profile),
        model_(subject.explained(options_for_any_row(request.question, subject.outer().graph()))),
        request_(request),
        running_(running),
        asker_(subject, request.question, running.seed(), notes_),
        batch_(request.batch) {
    if (batch_ == 0) batch_ = std::clamp<int64_t>(kElementsPerBatch / element_count(asker_.row()), 1, kLargestBatch);
  }

  // Of the samples that are not known yet, by the first of them.
  WorkCost cost(std::span<const ChosenMethod> methods, std::vector<ChosenMetric> metrics) {
    const std::vector<int64_t> order = order_of_samples();
    const std::array index = {order[0]};
    const std::array first = {data_.read(order[0])};
    const Question question = asker_.ask(first, index)[0].question;
    notes_.clear();  // they are said when the sample is scored
    if (profile_ != nullptr)
      metrics.push_back({*profile_, {}, Parameters(profile_->name, profile_->parameters, {}), true});
    const bool kinks = has_kinks(model_.graph());
    const WorkCost one = cost_of_row(methods, metrics, {question.players, question.baseline_count(), kinks});
    const int64_t left = wanted(order) - std::ssize(experiment_.samples());
    return of_rows(one, std::max<int64_t>(left, 0), measured_pace(model_, question, steady_seconds));
  }

  // As many candidates at a time as samples are still wanted, each time in rising order, which streams like best.
  SamplesSeen run() {
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

 private:
  int64_t wanted(const std::vector<int64_t>& order) const {
    return request_.samples == 0 ? std::ssize(order) : std::min(request_.samples, std::ssize(order));
  }

  std::vector<int64_t> order_of_samples() const {
    std::vector<int64_t> order(static_cast<size_t>(data_.size()));
    std::iota(order.begin(), order.end(), 0);
    if (request_.shuffle) order = Random(running_.seed(), kShuffle).permutation(0, data_.size());
    order.erase(order.begin(), order.begin() + request_.skip);
    return order;
  }

  void score(std::span<const int64_t> candidates) {
    std::vector<int64_t> indices;
    std::vector<Sample> samples;
    for (const int64_t index : candidates) {
      poll();
      if (experiment_.knows(static_cast<uint64_t>(index))) {
        count_known(experiment_.samples().at(static_cast<uint64_t>(index)).facts);
      } else {
        indices.push_back(index);
        samples.push_back(data_.read(index));
      }
    }
    EvaluationBatch batch = batch_of(indices, asker_.ask(samples, indices));
    tell_notes();
    experiment_.add(batch, progress_of(batch.questions.size()));
    taken_ += std::ssize(batch.questions);
  }

  EvaluationBatch batch_of(const std::vector<int64_t>& indices, std::vector<SampleQuestion> asked) {
    EvaluationBatch batch;
    for (size_t i = 0; i < asked.size(); ++i) {
      SampleQuestion& one = asked[i];
      SampleFacts facts{one.label, one.top, {}};
      if (!one.object.empty()) facts.covered = covered(one.object);
      if (!takes(facts)) continue;
      if (profile_ != nullptr) facts.profile = profile_->profile(model_, one.question, progress_of(1));
      batch.names.push_back(one.question.source);
      batch.questions.push_back(std::move(one.question));
      batch.streams.push_back(static_cast<uint64_t>(indices[i]));
      batch.objects.push_back(std::move(one.object));
      batch.facts.push_back(facts);
    }
    return batch;
  }

  void count(const SampleFacts& facts) {
    ++seen_.read;
    if (facts.label >= 0) ++seen_.labelled;
    if (facts.label == facts.top) ++seen_.correct;
  }

  void count_known(const SampleFacts& facts) {
    count(facts);
    ++taken_;
  }

  bool takes(const SampleFacts& facts) {
    count(facts);
    int64_t* reason = nullptr;
    if (request_.only_correct && facts.label != facts.top) reason = &seen_.wrong;
    else if (request_.most_box > 0 && !facts.covered) reason = &seen_.boxless;
    else if (request_.most_box > 0 && *facts.covered > request_.most_box) reason = &seen_.large;
    if (reason != nullptr) ++*reason;
    return reason == nullptr;
  }

  void tell_notes() {
    running_.note(std::vector(notes_.begin() + static_cast<int64_t>(told_), notes_.end()));
    told_ = notes_.size();
  }

  Progress progress_of(size_t count) const {
    if (!running_.progress()) return {};
    return [this, count](std::string_view task, int64_t done, int64_t total) {
      const double now = static_cast<double>(taken_) +
                         static_cast<double>(count) * static_cast<double>(done) / static_cast<double>(total);
      running_.progress()(task, std::min(static_cast<int64_t>(now), wanted_ - 1), wanted_);
    };
  }

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
  SamplesSeen seen_;
};

// ---- the result ----

Spectrum spectrum_of(const std::vector<ScoredSample>& samples, uint64_t seed) {
  Spectrum spectrum;
  size_t orders = 0;
  for (const ScoredSample& sample : samples) orders = std::max(orders, sample.facts.profile.size());
  std::vector<std::vector<double>> shares(orders);
  for (const ScoredSample& sample : samples) {
    const std::vector<double>& profile = sample.facts.profile;
    if (profile.empty()) ++spectrum.undefined;
    for (size_t k = 0; k < orders && !profile.empty(); ++k) shares[k].push_back(k < profile.size() ? profile[k] : 0.0);
  }
  spectrum.orders = summarize(shares, seed);
  for (Summary& summary : spectrum.orders) summary.undefined = spectrum.undefined;
  return spectrum;
}

void take_scores(EvaluateResult& result, const Experiment& experiment, const Wishes& wishes, uint64_t seed) {
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
  for (const auto& [index, sample] : experiment.samples()) {
    result.samples.push_back({sample, static_cast<int64_t>(index)});
  }
  result.summaries = experiment.summaries();
  if (wishes.profile != nullptr) result.spectrum = spectrum_of(result.samples, seed);
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

// `input`: what the samples are said to be for; empty: nothing is said.
struct Evaluating {
  Evaluating(const Subject& given, const EvaluateRequest& asked_for, const std::string& input)
      : request(asked_for),
        running(request.run),
        data(open_data(request)),
        subject(subject_of(given, input)),
        contents(contents_of(subject, request, *data)),
        wishes(wishes_of(request)),
        methods(choose_methods(request.methods, request.settings)) {
    if (!wishes.rating.empty() || methods.empty()) return;
    methods.clear();
    running.note(fmt::format("{} is about the model alone, so no method was run", wishes.profile->name));
  }

  Experiment experiment() const { return make_experiment(subject, request, *data, contents, methods, wishes); }

  const EvaluateRequest& request;
  Running running;
  std::shared_ptr<Dataset> data;
  Subject subject;
  std::vector<Content> contents;
  Wishes wishes;
  std::vector<ChosenMethod> methods;

 private:
  Subject subject_of(const Subject& given, const std::string& input) {
    std::vector<std::string> sizes;
    const Subject of_size = sized(given, *data, request.question.rows, sizes);
    running.note(sizes);
    Subject made = asked(of_size, request.question, running, false);
    check_input(made, input);
    return made;
  }
};

EvaluateResult evaluate_data(const Subject& given, const EvaluateRequest& request, const std::string& input) {
  const auto start = Clock::now();
  Evaluating at(given, request, input);
  Experiment experiment = at.experiment();
  at.running.note(at.subject.model().notes());
  at.running.note(at.subject.explained(options_for_any_row(request.question, at.subject.outer().graph())).notes());
  if (const size_t known = experiment.samples().size(); known > 0) {
    at.running.note(fmt::format("going on where an earlier run stopped: {} samples are done", known));
  }
  EvaluateResult result;
  SampleScorer scorer(at.subject, *at.data, experiment, request, at.running, at.wishes.profile);
  if (request.planned) {
    result.planned = scorer.cost(at.methods, at.wishes.rating);
    request.planned(*result.planned);
  }
  result.seen = scorer.run();
  if (experiment.samples().empty()) {
    fail(ErrorKind::unsupported, name_of_data(request),
         "no sample is left: {} read, {} wrong, {} with too large a box or none", result.seen.read, result.seen.wrong,
         result.seen.large + result.seen.boxless);
  }
  result.model = at.subject.path();
  result.model_hash = at.subject.hash();
  result.contents = at.contents;
  result.data = name_of_data(request);
  result.data_description = at.data->description;
  take_scores(result, experiment, at.wishes, request.run.seed);
  report(at.running.progress(), "", 1, 1);
  result.notes = at.running.notes();
  result.journal = request.journal;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

EvaluateResult evaluate(const Subject& subject, const EvaluateRequest& request) {
  check_evaluation(request);
  const RowSource& rows = request.question.rows;
  if (!rows.rows.empty()) {
    fail(ErrorKind::argument, "rows", "of samples, `skip` and `samples` choose; got {}", fmt::join(rows.rows, ", "));
  }
  if (!request.data.empty() || request.dataset) {
    if (!request.facts.classes.empty() || !request.facts.boxes.empty()) {
      fail(ErrorKind::argument, request.facts.classes.empty() ? "object_boxes" : "classes",
           "they belong to samples in memory; {} bring their own", name_of_data(request));
    }
    return evaluate_data(subject, request, "");
  }
  if (rows.empty()) fail(ErrorKind::argument, "data", "there are no samples; expected a data set, arrays or images");
  return evaluate_data(subject, with_dataset(subject, request), rows.arrays.empty() ? "" : rows.arrays[0].input);
}

std::shared_ptr<Dataset> open_samples(const Subject& subject, const EvaluateRequest& request) {
  const bool rows = request.data.empty() && !request.dataset;
  return open_data(rows ? with_dataset(subject, request) : request);
}

WorkCost cost_of_evaluation(const Subject& subject, const EvaluateRequest& request) {
  EvaluateRequest without_journal = request;
  without_journal.journal.clear();
  check_evaluation(without_journal);
  Evaluating at(subject, without_journal, "");
  Experiment experiment = at.experiment();
  SampleScorer scorer(at.subject, *at.data, experiment, without_journal, at.running, at.wishes.profile);
  return scorer.cost(at.methods, at.wishes.rating);
}

void forget_journal(const EvaluateResult& result) {
  std::error_code ignored;
  if (!result.journal.empty()) std::filesystem::remove(result.journal, ignored);
}

}  // namespace ascribe::core::study
