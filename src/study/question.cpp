#include "study/question.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "base/finite.h"
#include "base/sha256.h"
#include "game/baseline.h"
#include "methods/compile.h"
#include "study/entrance.h"
#include "study/joint_inputs.h"
#include "study/labels.h"
#include "study/series.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostBaselines = 256;

// Results keep numbers for longer than the caller keeps those that were borrowed.
Tensor owned(Tensor values) {
  values.mutable_memory();
  return values;
}

bool has_rows(const Graph& graph, size_t input) {
  const Dims& shape = graph[graph.inputs[input].value].type.shape;
  return !shape.empty() && !shape[0].is_fixed();
}

Shape model_row(const Model& model, size_t input) {
  return rows_in(model.graph()[model.graph().inputs[input].value].type.shape).row;
}

int64_t top_class(const Tensor& output, int64_t row, int64_t classes) {
  int64_t top = 0;
  const auto at = [&](int64_t i) { return output.at(row * classes + i); };
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(at(i))) fail(ErrorKind::numeric, "output", "the model's output is {}", number_in_words(at(i)));
    if (at(i) > at(top)) top = i;
  }
  return top;
}

}  // namespace

Players given_players(const QuestionRequest& request, const Shape& row, const std::optional<ImageShape>& image) {
  const std::vector<int32_t>& owners = request.owners;
  if (std::ssize(owners) != element_count(row)) {
    fail(ErrorKind::shape, "owners", "got {} numbers; expected {}, one per element", owners.size(), element_count(row));
  }
  const auto [least, most] = std::minmax_element(owners.begin(), owners.end());
  if (*least < -1 || *most < 0 || *most >= std::ssize(owners)) {
    fail(ErrorKind::argument, "owners", "got {}; expected players counted from 0, or -1", *least < -1 ? *least : *most);
  }
  Players players;
  players.owner = owners;
  players.description = "owners";
  if (image && image->height > 0) (image->series ? players.series : players.image) = image;
  for (int64_t c = 0; players.series && c < image->channels; ++c)
    players.channels.push_back(fmt::format("channel {}", c));
  players.names = request.player_names;
  if (players.names.empty()) {
    for (int32_t p = 0; p <= *most; ++p) players.names.push_back(fmt::format("player {}", p));
  }
  if (std::ssize(players.names) <= *most) {
    fail(ErrorKind::argument, "player_names", "got {} names; expected one for each of {} players", players.names.size(),
         *most + 1);
  }
  return players;
}

namespace {

bool asks_for_series(const std::string& players) {
  return players == "time" || players.starts_with("time:") || players == "channel" || players == "channels";
}

// Somebody says that rows are series, and the model does not tell which axis is time.
void take_as_series(RowQuestion& question, std::vector<std::string>& notes) {
  if (question.picture && question.picture->shape.series) return;
  if (question.row.empty() || question.row.size() > 2) return;
  const ImageShape series = series_by_length(question.row);
  question.picture = RowPicture{series, question.picture ? question.picture->preprocess : std::nullopt};
  const std::string note = fmt::format(
      "rows {} are taken as {} steps by {} channels, the longer axis being time; `preprocess` "
      R"({{"layout": "{}"}} says otherwise)",
      to_string(question.row), series.width, series.channels, series.layout == PixelLayout::chw ? "tc" : "ct");
  if (question.row.size() == 2 && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace

std::string QuestionRequest::target_text() const {
  if (!target_weights.empty()) {
    const Tensor wide = target_weights.cast(DType::f64);
    return fmt::format("weights, sha256 {}", sha256({static_cast<const char*>(wide.memory()), wide.bytes()}));
  }
  if (targets.empty()) return target;
  return fmt::format("one of each row, sha256 {}", sha256(fmt::format("{}", fmt::join(targets, "\n"))));
}

ExplainOptions QuestionRequest::options(std::optional<DType> real) const {
  if (!explain.empty() && explain != "logit" && explain != "probability") {
    fail(ErrorKind::argument, "explain", "got '{}'; expected logit or probability", explain);
  }
  return {output, probability(), input, real, {}};
}

ExplainOptions QuestionRequest::options(const RowQuestion& any, std::optional<DType> real) const {
  ExplainOptions explained = options(real);
  explained.readout = any.readout;
  return explained;
}

// ---- the question in words ----

std::optional<ImageShape> RowQuestion::image() const { return picture ? std::optional(picture->shape) : std::nullopt; }

Tensor RowQuestion::part_of_x(const RowPart& part) const {
  const Tensor all = x().cast(DType::f64);
  return Tensor::of<double>(
      part.row, all.data<double>().subspan(static_cast<size_t>(part.first), static_cast<size_t>(part.size())));
}

std::string RowQuestion::title(const std::string& model) const {
  const std::string what = explains == "value" ? target_text() : fmt::format("{} of {}", explains, target_text());
  return fmt::format("{}: {} for {}", model, what, source);
}

std::string RowQuestion::baselines_text() const {
  if (absence.conditional()) return fmt::format("{}, {} rows, {}", baseline, baseline_count(), to_words(absence));
  return baseline_count() == 1 ? baseline : fmt::format("{}, mean over {} rows", baseline, baseline_count());
}

std::vector<std::string> RowQuestion::player_labels() const {
  std::vector<std::string> labels = players.names;
  std::vector<int> elements(labels.size(), 0);
  std::vector<double> values(labels.size(), 0.0);
  for (size_t i = 0; i < players.owner.size(); ++i) {
    const int32_t owner = players.owner[i];
    if (owner < 0) continue;
    ++elements[static_cast<size_t>(owner)];
    values[static_cast<size_t>(owner)] = x().at(static_cast<int64_t>(i));
  }
  const auto category = [&](size_t p) -> std::optional<std::string> {
    for (const RowPart& part : parts) {
      const auto code = static_cast<int64_t>(values[p]);
      for (int64_t i = 0; i < std::ssize(part.texts); ++i) {
        if (players.owner[static_cast<size_t>(part.first + i)] != static_cast<int32_t>(p)) continue;
        const auto& categories = part.texts[static_cast<size_t>(i)].categories;
        return code < 0 || code >= std::ssize(categories) ? "(unknown)" : categories[static_cast<size_t>(code)];
      }
    }
    return std::nullopt;
  };
  for (size_t p = 0; p < labels.size(); ++p) {
    if (elements[p] == 1) labels[p] += fmt::format(" = {}", category(p).value_or(fmt::format("{:.4g}", values[p])));
  }
  return labels;
}

Json target_json(const RowQuestion& question) {
  Json json = Json::object({{"index", question.readout ? Json() : Json(question.target)}});
  if (!question.label.empty()) json["label"] = question.label;
  json["description"] = question.target_text();
  return json;
}

// ---- making it ----

std::vector<std::string> labels_of(const QuestionRequest& request) {
  return request.label_names.empty() ? read_labels(request.labels) : request.label_names;
}

Players row_players(const RowQuestion& question, const std::string& text, const std::vector<std::string>& columns) {
  if (question.tokens) return token_players(text, *question.tokens, question.row);
  const bool series = question.picture && question.picture->shape.series;
  const bool named = std::ssize(columns) == (series ? question.picture->shape.channels : element_count(question.row));
  return split_row(question, text, named ? columns : std::vector<std::string>());
}

bool depends_on_input(const std::string& baseline) {
  return baseline == "mean" || baseline.starts_with("blur:") || baseline.starts_with("gaussian:");
}

Tensor read_baselines(const std::string& text, const Model& model, size_t input, const RowSource& reading,
                      uint64_t seed, const Tensor* x, const std::optional<ImageShape>& image,
                      std::vector<std::string>& notes) {
  BaselineRequest request{text, x, model_row(model, input), image, {}, seed};
  if (const auto path = baseline_file(text)) {
    const Batch batch = study::read_rows(model, input, *path, reading, notes);
    request.rows = batch.values;
    if (const auto count = std::ssize(batch.sources); text.starts_with("data:") && count > kMostBaselines) {
      request.rows = thinned_rows(batch.values, kMostBaselines);
      notes.push_back(
          fmt::format("{}: {} rows, of which {} evenly spaced ones are the baselines", *path, count, kMostBaselines));
    }
  }
  return make_baselines(request);
}

Tensor given_baselines(const Tensor& rows, const Shape& row) {
  const int64_t size = element_count(row), count = rows.size() / std::max<int64_t>(size, 1);
  if (count < 1 || count * size != rows.size()) {
    fail(ErrorKind::shape, "baselines", "got {} numbers; expected rows of {}", rows.size(), size);
  }
  const Tensor given = owned(rows.cast(DType::f64).reshaped(with_rows(row, count)));
  const auto values = given.data<double>();
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    fail(ErrorKind::numeric, "baselines", "a number is not finite");
  }
  return given;
}

QuestionMaker::QuestionMaker(const Subject& subject, const QuestionRequest& request, uint64_t seed,
                             std::vector<std::string>& notes, std::optional<DType> real)
    : subject_(subject),
      model_(subject.model()),
      real_(real.value_or(model_.precision())),
      request_(request),
      seed_(seed),
      notes_(notes),
      labels_(labels_of(request)) {
  if (labels_.empty()) labels_ = labels_in_file(model_, request.output);
}

void QuestionMaker::read_rows() {
  if (request_.rows.empty()) fail(ErrorKind::argument, "input", "there are no data; expected files or arrays");
  ModelInputs inputs = read_inputs(subject_.outer(), request_.rows, real_, notes_);
  if (const Entrance* entrance = subject_.entrance()) {
    inputs = entrance->enter(std::move(inputs), notes_);
    for (Tensor& rows : inputs.tensors) {
      if (kind_of(rows.dtype()) == Kind::real) rows = rows.cast(real_);
    }
  }
  use_rows(std::move(inputs), request_.rows.where());
}

void QuestionMaker::use_rows(ModelInputs inputs, std::string_view where) {
  const size_t input = explained_input(model_.graph(), request_.input);
  const auto count = std::ssize(inputs.sources);
  questions_.clear();
  const auto splits = [&](size_t i) {
    const Tensor& rows = inputs.tensors[i];
    const bool one_by_one = !model_.batched() && rows.rank() > 0 && rows.shape()[0] == count;
    return count > 1 && (has_rows(model_.graph(), i) || one_by_one);
  };
  if (count > 1 && !splits(input)) {
    fail(ErrorKind::unsupported, where, "got {} rows; the model cannot be run on a row alone", count);
  }
  for (int64_t r = 0; r < count; ++r) {
    RowQuestion question;
    question.number = r < std::ssize(request_.rows.numbers) ? request_.rows.number_of(r) : r;
    question.source = inputs.sources[static_cast<size_t>(r)];
    question.baseline = request_.baselines.empty() ? baseline() : "given";
    question.input = input;
    question.row = model_row(model_, input);
    question.picture = inputs.pictures[input];
    if (asks_for_series(request_.players)) take_as_series(question, notes_);
    if (input == 0) question.parts = inputs.parts;
    for (size_t i = 0; i < inputs.tensors.size(); ++i) {
      question.point.push_back(splits(i) ? take_rows(inputs.tensors[i], std::array{r}) : owned(inputs.tensors[i]));
    }
    for (const Tensor& rows : inputs.entered) {
      question.entered.push_back(count > 1 && rows.shape()[0] == count ? take_rows(rows, std::array{r}) : owned(rows));
    }
    if (!inputs.tokens.empty()) question.tokens = inputs.tokens[static_cast<size_t>(r)];
    question.players = players_of(question, inputs.columns);
    questions_.push_back(std::move(question));
  }
  rows_ = std::move(inputs.tensors);
  said_ = {};
  last_.clear();
}

Players QuestionMaker::players_of(const RowQuestion& question, const std::vector<std::string>& columns) const {
  // Those of one row are those of all, unless they follow its contents.
  const bool follow = question.tokens || !question.parts.empty() || request_.players.starts_with("superpixels");
  if (!questions_.empty() && !follow) return questions_[0].players;
  if (!request_.owners.empty()) return given_players(request_, question.row, question.image());
  return row_players(question, request_.players, columns);
}

const std::string& QuestionMaker::baseline() {
  if (baseline_.empty()) baseline_ = request_.baseline;
  if (baseline_.empty() && subject_.entrance() != nullptr && request_.baselines.empty()) {
    baseline_ = subject_.entrance()->usual_baseline(notes_);
  }
  if (baseline_.empty()) baseline_ = "zero";
  return baseline_;
}

Tensor QuestionMaker::baselines_of(const RowQuestion& question) {
  if (const Entrance* entrance = subject_.entrance()) {
    const Tensor* given = request_.baselines.empty() ? nullptr : &request_.baselines;
    const Tensor rows = entrance->baselines({baseline(), given, request_.rows, seed_, question.entered}, notes_);
    if (!rows.empty()) return rows;
  }
  if (request_.baselines.empty()) {
    if (const auto path = baseline_file(baseline()); path && subject_.entrance() != nullptr) {
      return entered_baselines(*path, question);
    }
    return read_baselines(baseline(), model_, question.input, request_.rows, seed_, &question.x(), question.image(),
                          notes_);
  }
  return given_baselines(request_.baselines, question.row);
}

// Rows of a file that enter as the rows that are explained do.
Tensor QuestionMaker::entered_baselines(const std::string& path, const RowQuestion& question) {
  RowSource source = request_.rows;
  const FileBytes* file = source.find_in_memory(path);
  source.files = file == nullptr ? std::vector{path} : std::vector<std::string>{};
  source.contents = file == nullptr ? std::vector<FileBytes>{} : std::vector{*file};
  source.arrays.clear();
  source.rows.clear();
  ModelInputs inputs = subject_.entrance()->enter(read_inputs(subject_.outer(), source, DType::f64, notes_), notes_);
  Tensor rows = inputs.tensors[question.input].cast(DType::f64);
  const auto count = std::ssize(inputs.sources);
  const bool all = baseline().starts_with("data:");
  if (!all && count != 1) fail(ErrorKind::shape, path, "got {} rows; expected one baseline, or `data:` for all", count);
  if (all && count > kMostBaselines) {
    rows = thinned_rows(rows, kMostBaselines);
    notes_.push_back(
        fmt::format("{}: {} rows, of which {} evenly spaced ones are the baselines", path, count, kMostBaselines));
  }
  return rows;
}

void QuestionMaker::take_baselines() {
  for (RowQuestion& question : questions_) {
    // Shared where it can be, so that the network is asked about it once.
    const bool same = !shared_baselines_.empty() && (!request_.baselines.empty() || !depends_on_input(baseline()));
    question.baselines = same ? shared_baselines_ : baselines_of(question);
    if (!same) shared_baselines_ = question.baselines;
    check_codes(question.parts, question.baselines, "the baseline");
    note_categories(question);
  }
}

// Zero is not nothing for a category.
void QuestionMaker::note_categories(const RowQuestion& question) {
  if (!request_.baselines.empty() || baseline() != "zero" || told_categories_) return;
  told_categories_ = true;
  std::vector<std::string> first;
  for (const RowPart& part : question.parts) {
    for (size_t i = 0; i < part.texts.size(); ++i) {
      const bool own = i < part.columns.size();
      const std::string& name = own ? part.columns[i] : part.name;
      const std::vector<std::string>& categories = part.texts[i].categories;
      if (!categories.empty()) first.push_back(fmt::format("{} = {}", name, categories[0]));
    }
  }
  if (first.empty()) return;
  notes_.push_back(
      fmt::format("the baseline zero stands for the first category of a column: {}; a row of data makes a "
                  "better one",
                  fmt::join(first, ", ")));
}

// All rows go through the model together, one of them with a baseline, which also finds out whether rows influence
// each other.
std::vector<Tensor> QuestionMaker::first_look() {
  if (!model_.batched() || questions_.size() > 1) return model_.run(rows_);
  std::vector<Tensor> two;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!has_rows(model_.graph(), i)) {
      two.push_back(rows_[i]);
      continue;
    }
    const Tensor& other = i == questions_[0].input ? questions_[0].baselines : rows_[i];
    const Tensor row = row_at(other.cast(rows_[i].dtype()), 0, rows_[i].shape());
    two.push_back(stacked_rows(std::array{rows_[i], row}));
  }
  return model_.run(two);
}

void QuestionMaker::look() {
  const Port& port = explained_output(model_.graph(), request_.output);
  std::vector<Tensor> outputs = first_look();
  size_t which = 0;
  while (model_.graph().outputs[which].name != port.name) ++which;
  said_ = std::move(outputs[which]);
}

void QuestionMaker::find_top_classes() {
  const int64_t classes = target_count(model_.graph(), explained_output(model_.graph(), request_.output));
  look();
  tops_.clear();
  for (int64_t r = 0; r < std::ssize(questions_); ++r) tops_.push_back(top_class(said_, r, classes));
}

TargetResolver resolver_of(const QuestionRequest& request, const Graph& model, const TargetText& text,
                           const std::vector<std::string>& labels) {
  OutputForm form = output_form(model, explained_output(model, request.output), std::ssize(labels));
  check_labels(labels, form, request.labels.empty() ? "labels" : request.labels);
  // Whoever asks for logits says that there are classes.
  if (request.explain == "logit" && form.kind != OutputKind::number) form.classes = form.logits = true;
  return {text, std::move(form), labels};
}

void check_explain(const QuestionRequest& request, const Pick& pick) {
  if (!request.probability() || pick.element || pick.kind != Readout::Kind::log_probability) return;
  fail(ErrorKind::argument, "explain", "tokens have their log-probability explained; got 'probability'");
}

std::vector<TargetText> target_texts(const QuestionRequest& request, const OutputForm& form,
                                     const std::vector<std::string>& labels, std::string_view words) {
  if (!request.target_weights.empty()) return weights_per_row(request.target_weights, form);
  if (request.targets.empty()) return {parse_target(request.target, labels, words)};
  std::vector<TargetText> texts;
  for (const std::string& text : request.targets) texts.push_back(parse_target(text, labels, words));
  return texts;
}

ExplainOptions options_for_any_row(const QuestionRequest& request, const Graph& model) {
  ExplainOptions options = request.options();
  if (request.target == "label") return options;
  const std::vector<std::string> labels = labels_of(request);
  const OutputForm form = output_form(model, explained_output(model, request.output), std::ssize(labels));
  const std::vector<TargetText> texts = target_texts(request, form, labels, "top, label");
  if (texts.size() > 1 || !request.targets.empty()) return options;
  const TargetResolver resolver = resolver_of(request, model, texts[0], labels);
  if (resolver.depends_on_row()) return options;
  std::vector<int64_t> targets;
  options.readout = readout_of({resolver.pick(nullptr)}, resolver.form(), targets);
  return options;
}

QuestionMaker::Resolvers QuestionMaker::resolvers_of(std::span<const int64_t> numbers) const {
  const Graph& graph = subject_.outer().graph();
  const OutputForm form = output_form(graph, explained_output(graph, request_.output), std::ssize(labels_));
  const std::vector<TargetText> texts = target_texts(request_, form, labels_, "top");
  Resolvers resolvers;
  resolvers.for_all = texts.size() == 1 && request_.targets.empty();
  const size_t rows = resolvers.for_all ? 1 : questions_.size();
  if (numbers.empty() && texts.size() != rows) {
    fail(ErrorKind::argument, request_.targets.empty() ? "target_weights" : "targets",
         "got {} targets for {} rows; expected one for each row", texts.size(), rows);
  }
  for (size_t r = 0; r < rows; ++r) {
    const size_t number = numbers.empty() || resolvers.for_all ? r : static_cast<size_t>(numbers[r]);
    if (number >= texts.size()) {
      fail(ErrorKind::argument, "targets", "got {} targets, and row {} is asked about; expected one for each row",
           texts.size(), number);
    }
    resolvers.list.push_back(resolver_of(request_, graph, texts[number], labels_));
  }
  return resolvers;
}

void QuestionMaker::take_targets(std::span<const int64_t> numbers) {
  const Resolvers resolvers = resolvers_of(numbers);
  if (said_.empty()) look();
  std::vector<Pick> picks;
  for (size_t r = 0; r < questions_.size(); ++r) {
    const TargetResolver& resolver = resolvers.of(r);
    const OutputForm& form = resolver.form();
    const auto row = static_cast<int64_t>(r);
    if (r > 0 && resolvers.for_all && !resolver.depends_on_row()) {
      picks.push_back(picks[0]);
      continue;
    }
    if (resolver.depends_on_row() || resolver.is_top()) top_class(said_, row, form.size());
    const bool sequence = form.kind == OutputKind::sequence;
    if (sequence && last_.empty()) last_ = last_positions(form, model_.graph(), rows_, std::ssize(questions_));
    const AskedRow asked{{said_, row * form.size()}, sequence ? last_[r] : -1};
    picks.push_back(resolver.pick(&asked));
  }
  take_picks(resolvers, picks);
}

void QuestionMaker::set_targets(std::span<const int64_t> targets) {
  const TargetText nothing;
  const TargetResolver resolver = resolver_of(request_, subject_.outer().graph(), nothing, labels_);
  std::vector<Pick> picks;
  for (const int64_t target : targets) {
    TargetText one;
    one.text = std::to_string(target);
    one.place = {target};
    picks.push_back(resolver_of(request_, subject_.outer().graph(), one, labels_).pick(nullptr));
  }
  take_picks({{resolver}, true}, picks);
}

void QuestionMaker::take_picks(const Resolvers& resolvers, const std::vector<Pick>& picks) {
  std::vector<int64_t> targets;
  const ReadoutRef readout = readout_of(picks, resolvers.of(0).form(), targets);
  same_for_all_rows_ = !readout || (resolvers.for_all && !resolvers.of(0).depends_on_row());
  for (size_t r = 0; r < questions_.size(); ++r) {
    RowQuestion& question = questions_[r];
    const OutputForm& form = resolvers.of(r).form();
    const Pick& pick = picks[r];
    question.target = targets[r];
    question.readout = readout;
    question.output = form.name;
    question.explains = explained_noun(form, pick, {said_, static_cast<int64_t>(r) * form.size()});
    question.about = pick.text;
    question.label.clear();
    if (pick.class_index && *pick.class_index < std::ssize(labels_)) {
      question.label = labels_[static_cast<size_t>(*pick.class_index)];
    }
    if (!pick.note.empty()) notes_.push_back(questions_.size() == 1 ? pick.note : question.source + ": " + pick.note);
  }
}

std::string QuestionMaker::explained_noun(const OutputForm& form, const Pick& pick, const OutputRow& row) const {
  check_explain(request_, pick);
  if (!pick.explains.empty()) return pick.explains;
  if (request_.probability()) return "probability";
  if (!form.head.empty()) return "logit";
  if (form.kind == OutputKind::number || !form.classes) return "value";
  if (form.kind != OutputKind::vector) return "logit";
  double sum = 0, least = 0;
  for (int64_t i = 0; i < form.size(); ++i) sum += row[i], least = std::min(least, row[i]);
  if (least == 0 && std::abs(sum - 1) < 1e-4) return "probability";
  return form.logits ? "logit" : "score";
}

std::vector<RowQuestion> ask(const Subject& subject, const QuestionRequest& request, Running& running) {
  std::vector<std::string> notes;
  QuestionMaker maker(subject, request, running.seed(), notes);
  maker.read_rows();
  maker.take_baselines();
  maker.take_targets();
  running.note(notes);
  return std::move(maker.questions());
}

}  // namespace ascribe::core::study
