#include "cli/question.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/ranges.h>

#include "cli/target.h"
#include "cli/terminal.h"
#include "game/baseline.h"
#include "methods/compile.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostBaselines = 256;

bool has_rows(const Graph& graph, size_t input) {
  const Dims& shape = graph[graph.inputs[input].value].type.shape;
  return !shape.empty() && !shape[0].is_fixed();
}

int64_t top_class(const Tensor& output, int64_t row, int64_t classes) {
  int64_t top = 0;
  const auto at = [&](int64_t i) { return output.at(row * classes + i); };
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(at(i))) fail(ErrorKind::numeric, "output", "the model's output is {}", at(i));
    if (at(i) > at(top)) top = i;
  }
  return top;
}

std::optional<ImageShape> image_in(const RowQuestion& question) {
  if (!question.picture) return std::nullopt;
  return question.picture->shape;
}

// A row, and a row of baselines behind it.
Tensor with_baseline(const Tensor& row, const Tensor& baselines) {
  Shape shape = row.shape();
  shape[0] *= 2;
  Tensor both(row.dtype(), shape);
  const Tensor other = baselines.cast(row.dtype());
  auto* to = static_cast<std::byte*>(both.mutable_memory());
  std::copy_n(static_cast<const std::byte*>(row.memory()), row.bytes(), to);
  std::copy_n(static_cast<const std::byte*>(other.memory()), row.bytes(), to + row.bytes());
  return both;
}

}  // namespace

// ---- options ----

void add_players_option(CLI::App& command, QuestionOptions& options) {
  command
      .add_option("--players", options.players,
                  "Who takes part: elements, pixels, patch:K, grid:RxC, superpixels:N, columns or\n"
                  "groups:FILE.json; pixels for images and columns for tables if not given")
      ->type_name("P");
}

void add_explain_options(CLI::App& command, QuestionOptions& options) {
  command.add_option("--explain", options.explain, "The logit, stepping over a final softmax, or the probability")
      ->capture_default_str()
      ->check(CLI::IsMember({"logit", "probability"}).description(""))
      ->type_name("logit|probability");
  command.add_option("--output", options.output, "Which output of the model; the first real one if not given")
      ->type_name("NAME");
}

void add_setting_option(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--set", settings,
                  "A parameter of the chosen methods that have it, or of one: steps=64,\n"
                  "lrp_epsilon.epsilon=1e-6; ascribe methods NAME lists them; may be repeated")
      ->allow_extra_args(false)
      ->type_name("[METHOD.]KEY=VALUE");
}

void add_question_options(CLI::App& command, QuestionOptions& options, const std::string& baselines) {
  add_players_option(command, options);
  command
      .add_option("--baseline", options.baseline,
                  fmt::format("{}: zero, mean, value:V, blur:SIGMA,\n"
                              "gaussian:SIGMA, file:F or data:F (the mean over its rows)",
                              baselines))
      ->capture_default_str()
      ->type_name("B");
  command.add_option("--target", options.target, "The class to explain: top, its number, or its label")
      ->capture_default_str()
      ->type_name("top|CLASS");
  add_explain_options(command, options);
  command.add_option("--input", options.input, "Which input has the players; the first real one if not given")
      ->type_name("NAME");
}

// ---- the question in words ----

std::string RowQuestion::target_text() const {
  if (explains == "value") return printable(output);
  return label.empty() ? fmt::format("class {}", target) : fmt::format("{} (class {})", printable(label), target);
}

std::string RowQuestion::title(const std::string& model_path) const {
  const std::string what = explains == "value" ? target_text() : fmt::format("{} of {}", explains, target_text());
  const std::string model = std::filesystem::path(model_path).filename().string();
  return fmt::format("{}: {} for {}", printable(model), what, printable(source));
}

nlohmann::ordered_json RowQuestion::target_as_json() const {
  nlohmann::ordered_json json = {{"index", target}};
  if (!label.empty()) json["label"] = label;
  return json;
}

std::string RowQuestion::baselines_text(const std::string& baseline) const {
  const std::string rows = baseline_count() == 1 ? "" : fmt::format(", mean over {} rows", baseline_count());
  return printable(baseline) + rows;
}

// ---- making it ----

bool depends_on_input(const std::string& baseline) {
  return baseline == "mean" || baseline.starts_with("blur:") || baseline.starts_with("gaussian:");
}

Tensor read_baselines(const std::string& text, const BaselineSource& source, const Tensor* x,
                      const std::optional<ImageShape>& image, std::vector<std::string>& notes) {
  BaselineRequest request{text, x, input_slot(source.model, source.input).row, image, {}, source.seed};
  if (const auto path = baseline_file(text)) {
    const Batch batch = read_rows(source.model, source.input, *path, source.files, notes);
    request.rows = batch.values;
    if (const auto count = std::ssize(batch.sources); text.starts_with("data:") && count > kMostBaselines) {
      request.rows = thinned_rows(batch.values, kMostBaselines);
      notes.push_back(
          fmt::format("{}: {} rows, of which {} evenly spaced ones are the baselines", *path, count, kMostBaselines));
    }
  }
  return make_baselines(request);
}

QuestionMaker::QuestionMaker(Model& model, const QuestionOptions& options, const InputOptions& input, uint64_t seed,
                             std::vector<std::string>& notes)
    : model_(model), options_(options), input_(input), seed_(seed), notes_(notes) {}

void QuestionMaker::read_rows() { use_rows(read_inputs(model_, input_, notes_), input_.paths[0]); }

void QuestionMaker::use_rows(ModelInputs inputs, std::string_view where) {
  const size_t input = explained_input(model_.graph(), options_.input);
  const auto count = std::ssize(inputs.sources);
  questions_.clear();
  if (count > 1 && !has_rows(model_.graph(), input)) {
    fail(ErrorKind::unsupported, where, "got {} rows; the model cannot be run on a row alone", count);
  }
  for (int64_t r = 0; r < count; ++r) {
    RowQuestion question;
    question.source = inputs.sources[static_cast<size_t>(r)];
    question.input = input;
    question.row = input_slot(model_, input).row;
    question.picture = inputs.pictures[input];
    for (size_t i = 0; i < inputs.tensors.size(); ++i) {
      const bool split = count > 1 && has_rows(model_.graph(), i);
      question.point.push_back(split ? take_rows(inputs.tensors[i], std::array{r}) : inputs.tensors[i]);
    }
    std::vector<std::string> columns;
    if (std::ssize(inputs.columns) == element_count(question.row)) columns = inputs.columns;
    question.players =
        make_players({options_.players, question.row, image_in(question), columns, &question.point[input]});
    questions_.push_back(std::move(question));
  }
  rows_ = std::move(inputs.tensors);
}

void QuestionMaker::take_baselines() {
  for (RowQuestion& question : questions_) {
    // Shared where it can be, so that the network is asked about it once.
    const bool same = !shared_baselines_.empty() && !depends_on_input(options_.baseline);
    question.baselines = same ? shared_baselines_
                              : read_baselines(options_.baseline, {model_, question.input, input_, seed_},
                                               &question.point[question.input], image_in(question), notes_);
    if (!same) shared_baselines_ = question.baselines;
  }
}

// All rows go through the model together, one of them with a baseline, which also finds out whether rows influence
// each other.
std::vector<Tensor> QuestionMaker::first_look() {
  if (!model_.batched() || questions_.size() > 1) return model_.run(rows_);
  std::vector<Tensor> two;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Tensor& other = i == questions_[0].input ? questions_[0].baselines : rows_[i];
    two.push_back(has_rows(model_.graph(), i) ? with_baseline(rows_[i], other) : rows_[i]);
  }
  return model_.run(two);
}

void QuestionMaker::find_top_classes() {
  const Port& port = explained_output(model_.graph(), options_.output);
  const int64_t classes = target_count(model_.graph(), port);
  const std::vector<Tensor> outputs = first_look();
  size_t which = 0;
  while (model_.graph().outputs[which].name != port.name) ++which;
  tops_.clear();
  for (int64_t r = 0; r < std::ssize(questions_); ++r) tops_.push_back(top_class(outputs[which], r, classes));
}

void QuestionMaker::take_targets() {
  if (options_.target == "top") {
    find_top_classes();
    return set_targets(tops_);
  }
  first_look();
  const int64_t target = class_index(options_.target, read_labels(input_.labels), "top");
  set_targets(std::vector<int64_t>(questions_.size(), target));
}

void QuestionMaker::set_targets(std::span<const int64_t> targets) {
  const std::vector<std::string> labels = read_labels(input_.labels);
  const Port& port = explained_output(model_.graph(), options_.output);
  const int64_t classes = target_count(model_.graph(), port);
  check_labels(labels, model_.graph(), port, input_.labels);
  for (size_t r = 0; r < questions_.size(); ++r) {
    RowQuestion& question = questions_[r];
    question.target = targets[r];
    if (question.target < 0 || question.target >= classes) {
      fail(ErrorKind::argument, "--target", "there is no class {}; expected 0 to {}", question.target, classes - 1);
    }
    question.output = port.name;
    question.explains = classes == 1 && !options_.probability() ? "value" : options_.explain;
    if (!labels.empty()) question.label = labels[static_cast<size_t>(question.target)];
  }
}

}  // namespace ascribe::core
