#include "study/evaluating.h"

#include <filesystem>
#include <set>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "study/asked.h"
#include "study/question_settings.h"
#include "study/sample_questions.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

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
  if (const size_t count = rows.numbers.size(); rows.names.empty() && rows.arrays.size() == 1) {
    for (size_t i = 0; i < count; ++i) rows.names.push_back(fmt::format("row {}", rows.numbers[i]));
  }
  request.dataset = dataset_of(rows, given.facts);
  if (const size_t count = rows.numbers.size(); count > 0 && std::ssize(rows.numbers) != request.dataset->size()) {
    fail(ErrorKind::argument, "numbers", "got {} for {} samples; expected one for each", count,
         request.dataset->size());
  }
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

// Everything besides methods and metrics that the scores depend on.
Json about(const Subject& subject, const EvaluateRequest& request, const Dataset& data,
           const std::vector<Content>& contents) {
  const QuestionRequest& question = request.question;
  // Of rows with numbers of their own, others have more of the same data.
  const bool some_of_many = !question.rows.numbers.empty();
  Json json = Json::object({
      {"model", model_identity(subject)},
      {"data", some_of_many ? name_of_data(request) : fmt::format("{}, {}", name_of_data(request), data.description)},
      {"part", request.options.part},
      {"label-from", request.options.labels},
      {"boxes", request.options.boxes},
      {"annotations", request.options.annotations},
  });
  json.update(question_settings(subject, question));
  json.update(Json::object({{"samples", request.samples},
                            {"skip", request.skip},
                            {"shuffle", request.shuffle},
                            {"only-correct", request.only_correct},
                            {"most-box", request.most_box}}));
  if (!question.at.empty()) json["at"] = question.at;
  const Json hashes = hashes_by_role(contents);
  for (const JsonMember& member : hashes.members()) {
    if (some_of_many && member.key == "data") continue;
    json[fmt::format("sha256 of the {}", member.key)] = member.value;
  }
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
  return {model, evaluated(methods, request, model.row()), evaluated(wishes.rating), options};
}

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

}  // namespace

std::string name_of_data(const EvaluateRequest& request) { return request.data.empty() ? "data" : request.data; }

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

Wishes wishes_of(const EvaluateRequest& request) {
  Wishes wishes;
  for (ChosenMetric& one : choose_metrics(request.metrics, request.metric_settings)) {
    if (one.metric.rates()) wishes.rating.push_back(std::move(one));
    else wishes.profile = &one.metric;
  }
  if (wishes.rating.empty() && wishes.profile == nullptr) {
    fail(ErrorKind::argument, "metrics", "got none; expected the name of one at least");
  }
  return wishes;
}

EvaluateRequest with_data(const Subject& subject, const EvaluateRequest& request, std::string& input) {
  const RowSource& rows = request.question.rows;
  if (!rows.rows.empty()) {
    fail(ErrorKind::argument, "rows", "of samples, `skip` and `samples` choose; got {}", fmt::join(rows.rows, ", "));
  }
  if (!request.data.empty() || request.dataset) {
    if (!request.facts.classes.empty() || !request.facts.boxes.empty()) {
      fail(ErrorKind::argument, request.facts.classes.empty() ? "object_boxes" : "classes",
           "they belong to samples in memory; {} bring their own", name_of_data(request));
    }
    return request;
  }
  if (rows.empty()) fail(ErrorKind::argument, "data", "there are no samples; expected a data set, arrays or images");
  input = rows.arrays.empty() ? "" : rows.arrays[0].input;
  return with_dataset(subject, request);
}

// ---- at work ----

Evaluating::Evaluating(const Subject& given, const EvaluateRequest& asked_for, const std::string& input)
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

Experiment Evaluating::experiment() const {
  return make_experiment(subject, request, *data, contents, methods, wishes);
}

ExplainedModel& Evaluating::model() const {
  return subject.explained(options_for_any_row(request.question, subject.outer().graph()));
}

void Evaluating::tell_notes_of_the_model() {
  running.note(subject.model().notes());
  running.note(model().notes());
}

Subject Evaluating::subject_of(const Subject& given, const std::string& input) {
  std::vector<std::string> sizes;
  const Subject of_size = sized_by_first(given, *data, request.question.rows, sizes);
  running.note(sizes);
  Subject made = asked(of_size, request.question, running, false);
  check_input(made, input);
  return made;
}

// ---- the result ----

void sum_up(EvaluateResult& result, bool profile, uint64_t seed) {
  std::vector<const EvaluatedSample*> samples;
  for (const ScoredSample& sample : result.samples) samples.push_back(&sample);
  result.summaries = summarize_scores(samples, result.methods.size(), result.metrics.size(), seed);
  if (profile) result.spectrum = spectrum_of(result.samples, seed);
  std::set<std::string> known;
  std::erase_if(result.notes, [&](const std::string& note) { return !known.insert(note).second; });
}

}  // namespace ascribe::core::study
