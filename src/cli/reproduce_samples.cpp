#include "cli/reproduce_samples.h"

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "base/sha256.h"
#include "cli/read_inputs.h"
#include "data/datasets/placed_objects.h"
#include "data/open_dataset.h"
#include "metrics/object_mask.h"

namespace ascribe::core {

namespace {

constexpr const char* kFashion = "/usr/share/datasets/fashion-mnist";
constexpr int64_t kIdentified = 8;  // images that tell data sets apart
constexpr uint64_t kBaselineStream = 0x6261736573;

std::string bytes_of(const Sample& sample) {
  std::string bytes = sample.name;
  const auto append = [&](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); };
  if (sample.source.image)
    append(sample.source.image->pixels.data(), sample.source.image->pixels.size() * sizeof(float));
  if (sample.source.pixels) append(sample.source.pixels->memory(), sample.source.pixels->bytes());
  for (const Box& box : sample.boxes) append(&box, sizeof(box));
  append(&sample.label, sizeof(sample.label));
  return bytes;
}

int64_t largest_of(const Tensor& outputs) {
  int64_t top = 0;
  for (int64_t i = 1; i < outputs.size(); ++i) {
    if (outputs.at(i) > outputs.at(top)) top = i;
  }
  return top;
}

}  // namespace

std::unique_ptr<Dataset> open_images(const ReproduceRequest& request) {
  std::error_code ignored;
  if (request.data.empty() && !std::filesystem::is_directory(kFashion, ignored)) {
    fail(ErrorKind::io, kFashion,
         "there is no such folder; install Debian's package dataset-fashion-mnist, or give --data DIR with the idx "
         "files of MNIST");
  }
  return open_dataset(request.data.empty() ? kFashion : request.data);
}

std::unique_ptr<Dataset> open_objects(const ReproduceRequest& request) {
  std::unique_ptr<Dataset> data = open_images(request);
  return data->boxed ? std::move(data) : place_objects(std::move(data), request.general.seed);
}

nlohmann::ordered_json identity_of(Dataset& data) {
  std::string bytes;
  for (int64_t i = 0; i < std::min(kIdentified, data.size()); ++i) bytes += bytes_of(data.read(i));
  return {{"description", data.description}, {"samples", data.size()}, {"sha256_of_the_first", sha256(bytes)}};
}

SampleQuestions::SampleQuestions(const PaperRun& run, const Network& network, DType precision, std::string players)
    : players_(std::move(players)) {
  GeneralOptions general = run.request.general;
  general.precision = precision == DType::f64 ? "double" : "float";
  const Model model = load_model({network.path, {}}, general);
  const size_t input = explained_input(model.graph(), "");
  if (model.graph().inputs.size() != 1) {
    fail(ErrorKind::unsupported, network.path, "the model has {} inputs; expected one, for images",
         model.graph().inputs.size());
  }
  slot_ = input_slot(model, input);
  if (!run.request.preprocess.empty()) options_.preprocess = parse_preprocess(run.request.preprocess);
  model_ = std::make_unique<ExplainedModel>(
      model.graph(), ExplainOptions{"", false, "", {precision, parse_memory(general.memory), 0}});
  baseline_ = noisy_baselines(slot_.row, 0, 1, 0);
}

SampleQuestion SampleQuestions::ask(const Sample& sample, AskedClass which) {
  std::vector<std::string> notes;
  Batch batch = fit(sample.source, 0, slot_, options_, notes);
  if (notes_.empty()) notes_ = notes;  // they would say the same of every image
  SampleQuestion asked;
  asked.name = sample.name;
  asked.label = sample.label;
  asked.picture = batch.picture;
  if (asked.picture && !sample.boxes.empty()) asked.object = object_mask(sample, *asked.picture);
  Question& question = asked.question;
  question.point = {std::move(batch.values)};
  question.baselines = baseline_;
  const auto image = asked.picture ? std::optional(asked.picture->shape) : std::nullopt;
  question.players = make_players({players_, slot_.row, image, {}, &question.point[0]});
  asked.predicted = largest_of(model_->outputs(question.point));
  question.target = which == AskedClass::labelled ? asked.label : asked.predicted;
  if (question.target < 0 || question.target >= model_->targets()) {
    fail(ErrorKind::io, sample.name, "the data say class {}; the model has {} classes", question.target,
         model_->targets());
  }
  return asked;
}

Tensor noisy_baselines(const Shape& row, double sigma, int64_t count, uint64_t seed) {
  Shape shape = row;
  shape.insert(shape.begin(), count);
  Tensor rows(DType::f64, shape);
  auto values = rows.mutable_data<double>();
  const Random random(seed, kBaselineStream);
  for (size_t i = 0; i < values.size(); ++i) values[i] = sigma * random.normal(i);
  return rows;
}

}  // namespace ascribe::core
