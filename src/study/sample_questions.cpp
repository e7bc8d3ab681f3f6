#include "study/sample_questions.h"

#include <algorithm>
#include <array>

#include "base/sha256.h"
#include "methods/compile.h"
#include "metrics/object_mask.h"
#include "study/companions.h"
#include "study/entrance.h"
#include "study/labels.h"
#include "study/open_sizes.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kIdentified = 8;  // samples that tell data sets apart

// Numbers that are not finite are complained of by the sample's name.
Batch fitted(const Sample& sample, const InputSlot& slot, const DataOptions& fitting, std::vector<std::string>& notes) {
  try {
    return fit(sample.source, 0, slot, fitting, notes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    throw Error(error.kind(), sample.name, error.message());
  }
}

}  // namespace

std::string bytes_of(const Sample& sample) {
  std::string bytes = sample.name;
  const auto append = [&](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); };
  if (sample.source.image)
    append(sample.source.image->pixels.data(), sample.source.image->pixels.size() * sizeof(float));
  if (sample.source.pixels) append(sample.source.pixels->memory(), sample.source.pixels->bytes());
  for (const Array& array : sample.source.arrays) append(array.values.memory(), array.values.bytes());
  for (const Box& box : sample.boxes) append(&box, sizeof(box));
  append(&sample.label, sizeof(sample.label));
  return bytes;
}

size_t sample_input(const Subject& subject) {
  const Model& model = subject.outer();
  std::vector<InputSlot> slots;
  for (size_t i = 0; i < model.graph().inputs.size(); ++i) slots.push_back(input_slot(model, i, model.precision()));
  if (slots.size() == 1) return 0;
  if (const auto leading = leading_input(slots)) return *leading;
  fail(ErrorKind::unsupported, subject.path(), "the model has {} inputs; samples of a data set are one", slots.size());
}

Subject sized(const Subject& subject, Dataset& data, const RowSource& reading, std::vector<std::string>& notes) {
  if (data.size() == 0) return subject;
  const Sample first = data.read(0);
  const Source& source = first.source;
  if (!source.image && !source.pixels && source.arrays.empty()) return subject;  // whoever asks about it will be told
  const Subject found = subject.open_inputs().empty()
                            ? subject
                            : with_sizes_of({{"", first.name, &first.source}}, subject, reading, notes);
  Model& model = found.model();
  if (!found.has_file() || !model.batched() || model.graph().inputs.size() != 1) return found;
  DataOptions fitting = data_options(reading);
  fitting.columns.clear();
  fitting.rows.clear();
  std::vector<std::string> ignored;
  const Batch row = fitted(first, input_slot(model, 0, model.precision()), fitting, ignored);
  const auto mixed = model.mixed_rows(std::array{row.values});
  if (!mixed) return found;
  notes.push_back(fmt::format("{}; so every row is run alone", *mixed));
  return found.row_by_row();
}

Subject sized_by_first(const Subject& subject, Dataset& data, const RowSource& reading,
                       std::vector<std::string>& notes) {
  try {
    return sized(subject, data, reading, notes);
  } catch (const Error& error) {
    if (!of_one_sample(error.kind()) || !subject.open_inputs().empty()) throw;
    return subject;
  }
}

bool of_one_sample(ErrorKind kind) { return kind == ErrorKind::numeric || kind == ErrorKind::io; }

Json identity_of(Dataset& data) {
  std::string bytes;
  for (int64_t i = 0; i < std::min(kIdentified, data.size()); ++i) {
    try {
      bytes += bytes_of(data.read(i));
    } catch (const Error& error) {
      if (!of_one_sample(error.kind())) throw;
      bytes += error.what();
    }
  }
  return Json::object(
      {{"description", data.description}, {"samples", data.size()}, {"sha256_of_the_first", sha256(bytes)}});
}

SampleAsker::SampleAsker(const Subject& subject, const QuestionRequest& request, uint64_t seed,
                         std::vector<std::string>& notes)
    : model_(subject.model()),
      request_(request),
      notes_(notes),
      entrance_(subject.entrance()),
      outer_(subject.outer()),
      input_(sample_input(subject)),
      slot_(input_slot(outer_, input_, model_.precision())),
      row_(entrance_ == nullptr ? slot_.row
                                : input_slot(model_, explained_input(model_.graph(), request.input), DType::f64).row),
      fitting_(data_options(request.rows)),
      maker_(subject, request, seed, notes) {
  // The data set has chosen them.
  fitting_.columns.clear();
  fitting_.rows.clear();
}

std::vector<SampleQuestion> SampleAsker::ask(std::span<const Sample> samples, std::span<const int64_t> numbers) {
  std::vector<SampleQuestion> asked;
  // A model made for one row is asked row by row.
  const size_t together = model_.batched() ? samples.size() : 1;
  for (size_t first = 0; first < samples.size(); first += together) {
    const size_t count = std::min(together, samples.size() - first);
    ask_together(samples.subspan(first, count), numbers.empty() ? numbers : numbers.subspan(first, count), asked);
  }
  return asked;
}

void SampleAsker::ask_together(std::span<const Sample> samples, std::span<const int64_t> numbers,
                               std::vector<SampleQuestion>& asked) {
  std::vector<Batch> rows;
  for (const Sample& sample : samples) {
    const Source& source = sample.source;
    if (!source.image && !source.pixels && source.arrays.empty()) {
      fail(ErrorKind::shape, sample.name, "a sample without data");
    }
    rows.push_back(fitted(sample, slot_, fitting_, notes_));
    if (const size_t count = rows.back().sources.size(); count != 1) {
      fail(ErrorKind::shape, sample.name, "a sample of {} rows; expected one", count);
    }
  }
  Batch all = concatenate(rows, slot_);
  for (size_t i = 0; i < samples.size(); ++i) all.sources[i] = samples[i].name;
  const auto picture = entrance_ == nullptr ? all.picture : std::nullopt;
  ModelInputs inputs = with_companions(outer_, input_, std::move(all), model_.precision(), notes_);
  if (entrance_ != nullptr) inputs = entrance_->enter(std::move(inputs), notes_);
  maker_.use_rows(std::move(inputs), samples[0].name);
  maker_.take_baselines();
  maker_.find_top_classes();
  if (request_.target == "label") maker_.set_targets(labels_of_samples(samples));
  else maker_.take_targets(numbers);
  if (!maker_.same_for_all_rows()) {
    fail(ErrorKind::argument, "target", "'{}' reads other numbers of every sample; expected a target that all share",
         request_.target_text());
  }
  for (size_t i = 0; i < samples.size(); ++i)
    maker_.questions()[i].number = numbers.empty() ? -1 : request_.rows.number_of(numbers[i]);
  for (size_t i = 0; i < samples.size(); ++i) {
    PixelMask object = picture ? object_mask(samples[i], *picture) : PixelMask{};
    asked.push_back({std::move(maker_.questions()[i]), samples[i].label, maker_.top_classes()[i], std::move(object)});
  }
}

std::vector<int64_t> SampleAsker::labels_of_samples(std::span<const Sample> samples) const {
  const int64_t classes = target_count(model_.graph(), explained_output(model_.graph(), request_.output));
  std::vector<int64_t> targets;
  for (const Sample& sample : samples) {
    if (sample.label < 0 || sample.label >= classes) {
      fail(ErrorKind::shape, sample.name, "the class that the data say is to be explained; got {}; expected 0 to {}",
           sample.label < 0 ? "none" : std::to_string(sample.label), classes - 1);
    }
    targets.push_back(sample.label);
  }
  return targets;
}

}  // namespace ascribe::core::study
