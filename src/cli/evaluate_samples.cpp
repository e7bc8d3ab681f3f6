// The samples of a data set as questions, batch by batch. Which samples are taken depends on the seed, and on what the
// model says of them where only those it gets right are wanted; never on the batches.
#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "cli/evaluate.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "methods/compile.h"
#include "metrics/object_mask.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kShuffle = 0x73687566666c65;  // the stream of the draws here
constexpr int64_t kElementsPerBatch = int64_t{1} << 20, kLargestBatch = 64;

std::vector<int64_t> order_of(const EvaluateRequest& request, int64_t size) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  if (request.shuffle) order = Random(request.general.seed, kShuffle).permutation(0, size);
  order.erase(order.begin(), order.begin() + std::min(request.skip, size));
  return order;
}

}  // namespace

SampleScorer::SampleScorer(Model& model, Dataset& data, Experiment& experiment, const EvaluateRequest& request,
                           std::vector<std::string>& notes)
    : model_(model),
      data_(data),
      experiment_(experiment),
      request_(request),
      notes_(notes),
      slot_(input_slot(model, 0)),
      fitting_(data_options(request.input)),
      maker_(model, request.question, request.input, request.general.seed, notes) {
  if (model.graph().inputs.size() != 1) {
    fail(ErrorKind::unsupported, request.model.path, "the model has {} inputs; samples of a data set are one",
         model.graph().inputs.size());
  }
  fitting_.columns.clear();  // the data set has chosen them
  batch_ = request.batch;
  if (batch_ == 0) batch_ = std::clamp<int64_t>(kElementsPerBatch / element_count(slot_.row), 1, kLargestBatch);
}

// As many candidates at a time as samples are still wanted, each time in rising order, which streams like best.
SamplesSeen SampleScorer::run() {
  const std::vector<int64_t> order = order_of(request_, data_.size());
  wanted_ = request_.samples == 0 ? std::ssize(order) : std::min(request_.samples, std::ssize(order));
  size_t next = 0;
  while (taken_ < wanted_ && next < order.size()) {
    const size_t count = std::min(static_cast<size_t>(wanted_ - taken_), order.size() - next);
    std::vector<int64_t> wave(order.begin() + static_cast<int64_t>(next),
                              order.begin() + static_cast<int64_t>(next + count));
    next += count;
    std::sort(wave.begin(), wave.end());
    // Cut at the same places whatever is known, so that an interruption does not even change the rounding.
    for (size_t from = 0; from < count; from += static_cast<size_t>(batch_)) {
      score(std::span(wave).subspan(from, std::min(static_cast<size_t>(batch_), count - from)));
    }
  }
  report(progress_bar(request_.general.quiet), "", wanted_, wanted_);
  return seen_;
}

void SampleScorer::count_known(int64_t index) {
  const auto& kept = experiment_.samples().at(static_cast<uint64_t>(index)).kept;
  ++seen_.read;
  ++taken_;
  ++known_;
  if (!kept.contains("label")) return;
  ++seen_.labelled;
  if (kept.at("label") == kept.at("top")) ++seen_.correct;
}

void SampleScorer::score(std::span<const int64_t> candidates) {
  std::vector<int64_t> fresh;
  for (const int64_t index : candidates) {
    if (experiment_.knows(static_cast<uint64_t>(index))) count_known(index);
    else fresh.push_back(index);
  }
  const std::span<const int64_t> indices = fresh;
  EvaluationBatch batch;
  // A model made for one row is asked row by row.
  const size_t together = model_.batched() ? indices.size() : 1;
  for (size_t first = 0; first < indices.size(); first += together) {
    ask(indices.subspan(first, std::min(together, indices.size() - first)), batch);
  }
  const Progress bar = progress_bar(request_.general.quiet);
  const auto count = static_cast<double>(batch.questions.size());
  experiment_.add(
      batch, !bar ? Progress{} : [&](std::string_view task, int64_t done, int64_t total) {
        const double now = static_cast<double>(taken_) + count * static_cast<double>(done) / static_cast<double>(total);
        bar(fmt::format("{}{}", task, time_left(now)), std::min(static_cast<int64_t>(now), wanted_ - 1), wanted_);
      });
  taken_ += std::ssize(batch.questions);
}

// ", 3 min left", from the samples of this run.
std::string SampleScorer::time_left(double now) const {
  const double done = now - static_cast<double>(known_), left = static_cast<double>(wanted_) - now;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (done < 1 || elapsed < 1) return "";
  const double seconds = elapsed / done * left;
  return seconds < 100 ? fmt::format(", {:.0f} s left", seconds) : fmt::format(", {:.0f} min left", seconds / 60);
}

void SampleScorer::ask(std::span<const int64_t> indices, EvaluationBatch& batch) {
  std::vector<Sample> samples;
  std::vector<Batch> rows;
  for (const int64_t index : indices) {
    samples.push_back(data_.read(index));
    rows.push_back(fit(samples.back().source, 0, slot_, fitting_, notes_));
  }
  Batch together = concatenate(rows, slot_);
  for (size_t i = 0; i < samples.size(); ++i) together.sources[i] = samples[i].name;
  maker_.use_rows({{together.values}, together.sources, together.columns, {together.picture}}, request_.data);
  maker_.take_baselines();
  maker_.find_top_classes();
  maker_.set_targets(targets_of(samples));
  for (size_t i = 0; i < samples.size(); ++i) {
    const int64_t top = maker_.top_classes()[i];
    PixelMask mask = together.picture ? object_mask(samples[i], *together.picture) : PixelMask{};
    if (!taken(samples[i], top, mask)) continue;
    nlohmann::ordered_json kept = {{"top", top}};
    if (samples[i].label >= 0) kept["label"] = samples[i].label;
    if (!mask.empty()) kept["covered"] = covered(mask);
    batch.questions.push_back(maker_.questions()[i]);
    batch.streams.push_back(static_cast<uint64_t>(indices[i]));
    batch.names.push_back(samples[i].name);
    batch.objects.push_back(std::move(mask));
    batch.kept.push_back(std::move(kept));
  }
}

std::vector<int64_t> SampleScorer::targets_of(std::span<const Sample> samples) {
  if (request_.question.target == "top") return maker_.top_classes();
  if (request_.question.target != "label") {
    const int64_t target = class_index(request_.question.target, read_labels(request_.input.labels), "top, label");
    return std::vector<int64_t>(samples.size(), target);
  }
  const Port& port = explained_output(model_.graph(), request_.question.output);
  const int64_t classes = target_count(model_.graph(), port);
  std::vector<int64_t> targets;
  for (const Sample& sample : samples) {
    if (sample.label < 0 || sample.label >= classes) {
      fail(ErrorKind::shape, sample.name, "--target label needs its class; got {}; expected 0 to {}",
           sample.label < 0 ? "none" : std::to_string(sample.label), classes - 1);
    }
    targets.push_back(sample.label);
  }
  return targets;
}

bool SampleScorer::taken(const Sample& sample, int64_t top, const PixelMask& mask) {
  ++seen_.read;
  const bool right = sample.label == top;
  if (sample.label >= 0) ++seen_.labelled;
  if (right) ++seen_.correct;
  if (request_.only_correct && !right) {
    ++seen_.wrong;
    return false;
  }
  if (request_.most_box > 0 && (mask.empty() || covered(mask) > request_.most_box)) {
    ++seen_.large;
    return false;
  }
  return true;
}

}  // namespace ascribe::core
