#include "study/parts/explain_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "data/rows.h"
#include "study/parts/explained_rows.h"
#include "study/question_settings.h"
#include "study/row_stream.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLooksForOne = 64;  // rows that are tried until one tells which methods suit the model
constexpr int64_t kMostPlayerNames = 4096;

class RowExplainer {
 public:
  RowExplainer(const Subject& given, const ExplainRequest& request, Running& running)
      : request_(request),
        running_(running),
        methods_(choose_methods(request.methods, request.settings)),
        stream_(open_rows(given, request.question, running.seed(), notes_)),
        model_(subject().explained(options_for_any_row(request.question, subject().outer().graph()))) {
    if (methods_.empty()) fail(ErrorKind::argument, "method", "there is no method to explain with");
    choose_rows();
    decide();
    notes_.insert(notes_.end(), subject().model().notes().begin(), subject().model().notes().end());
    notes_.insert(notes_.end(), model_.notes().begin(), model_.notes().end());
    running_.note(notes_);
    about_notes_ = std::exchange(notes_, {});
  }

  const Subject& subject() const { return stream_->subject(); }
  int64_t items() const { return std::ssize(rows_); }
  size_t methods() const { return methods_.size(); }
  int64_t elements() const { return element_count(model_.row()); }

  PartHeader header(int64_t batch) const;
  std::string explain(const Items& items, const Progress& progress);

 private:
  void choose_rows();
  void decide();
  int64_t row_of(int64_t item) const {
    return item_rows_.empty() ? rows_[static_cast<size_t>(item)] : item_rows_.at(item);
  }
  void answer(size_t method, std::span<const Question> questions, std::span<PartRow* const> rows,
              const Progress& progress);
  PartAnswer answer_of(Attribution attribution) const;
  size_t layout_of(ExplainedRows& block, const RowQuestion& question) const;

  const ExplainRequest& request_;
  Running& running_;
  std::vector<std::string> notes_, about_notes_;
  std::vector<ChosenMethod> methods_;
  std::vector<LeftOut> left_out_;
  std::unique_ptr<RowStream> stream_;
  ExplainedModel& model_;
  std::vector<int64_t> rows_;             // of the stream, by item
  std::map<int64_t, int64_t> item_rows_;  // of rows that say their numbers; empty: they do not
};

void RowExplainer::choose_rows() {
  const RowSource& source = request_.question.rows;
  rows_ = select_rows(source.rows, stream_->size(), "row", source.where());
  if (source.numbers.empty()) return;
  if (!source.rows.empty() || std::ssize(source.numbers) != stream_->size()) {
    fail(ErrorKind::argument, "numbers", "got {} for {} rows; expected one for each, and no choice of rows",
         source.numbers.size(), stream_->size());
  }
  for (const int64_t row : rows_) item_rows_[source.number_of(row)] = row;
}

// What is not asked for by name is left out of all rows if it does not suit the first that can be asked about.
void RowExplainer::decide() {
  if (std::all_of(methods_.begin(), methods_.end(), [](const ChosenMethod& one) { return one.asked_for; })) return;
  const size_t notes = notes_.size();
  std::vector<RowQuestion> first;
  for (size_t i = 0; i < std::min(kLooksForOne, rows_.size()) && first.empty(); ++i) {
    first = stream_->ask(std::array{rows_[i]}).questions;
  }
  notes_.resize(notes);
  if (first.empty()) return;
  const Question& question = first[0];
  std::vector<ChosenMethod> suiting;
  for (ChosenMethod& one : methods_) {
    try {
      if (!one.asked_for) attribute(one.method, model_, std::span(&question, 1), one.parameters, running_.seed());
      suiting.push_back(std::move(one));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || !may_be_left_out(one, error.kind())) throw;
      left_out_.push_back({one.method.name, error.what()});
      notes_.push_back(fmt::format("{} is left out: {}", one.method.name, error.what()));
    }
  }
  if (suiting.empty()) fail(ErrorKind::unsupported, "method", "no method can be run on this model");
  methods_.swap(suiting);
}

PartHeader RowExplainer::header(int64_t batch) const {
  const QuestionRequest& question = request_.question;
  PartHeader header;
  header.kind = "explain";
  header.model = model_identity(subject());
  header.seed = running_.seed();
  header.precision = std::string(to_string(model_.real()));
  Json parameters = Json::object(), methods = Json::list();
  for (const ChosenMethod& one : methods_) {
    parameters[one.method.name] = one.parameters.key();
    methods.push(Json::object({{"name", one.method.name},
                               {"title", one.method.title},
                               {"kind", to_string(one.method.kind)},
                               {"explains", one.method.total == Total::change ? "change" : "output"},
                               {"parameters", one.parameters.all()}}));
  }
  header.settings = Json::object({{"methods", std::move(parameters)}});
  header.settings.update(question_settings(subject(), question));
  header.settings["input"] = question.input;
  header.settings["at"] = question.at;
  header.settings["rows"] = question.rows.rows;
  header.settings["files"] = question_files(subject(), question);
  // Other rows of the same data are in other parts.
  if (item_rows_.empty()) header.settings["data"] = stream_->identity();
  header.settings["batch"] = batch;  // what is computed together can change the last bits
  header.about = Json::object({{"model", subject().path()},
                               {"data", question.rows.files},
                               {"data_description", stream_->description()},
                               {"methods", std::move(methods)},
                               {"left_out", left_out_},
                               {"notes", about_notes_}});
  return header;
}

PartAnswer RowExplainer::answer_of(Attribution a) const {
  return {"",
          std::move(a.values),
          std::move(a.standard_errors),
          a.residual,
          a.baseline_output,
          a.degrees_of_freedom,
          a.evaluations,
          a.exact,
          std::move(a.notes)};
}

// Questions that fail together are asked one by one, so that none takes the others with it.
void RowExplainer::answer(size_t method, std::span<const Question> questions, std::span<PartRow* const> rows,
                          const Progress& progress) {
  const ChosenMethod& one = methods_[method];
  try {
    std::vector<Attribution> answers =
        attribute(one.method, model_, questions, one.parameters, running_.seed(), progress);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (std::isnan(rows[i]->output)) rows[i]->output = answers[i].output;
      rows[i]->answers[method] = answer_of(std::move(answers[i]));
    }
    return;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    if (questions.size() == 1) {
      rows[0]->answers[method].error = error.what();
      return;
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) answer(method, questions.subspan(i, 1), rows.subspan(i, 1), progress);
}

size_t RowExplainer::layout_of(ExplainedRows& block, const RowQuestion& question) const {
  const Players& players = question.players;
  PartLayout layout{players.description, question.row, players.count(), {}, players.owner};
  if (players.count() <= kMostPlayerNames) layout.names = players.names;
  const auto known = std::find(block.layouts.begin(), block.layouts.end(), layout);
  const auto place = static_cast<size_t>(known - block.layouts.begin());
  if (known == block.layouts.end()) block.layouts.push_back(std::move(layout));
  return place;
}

std::string RowExplainer::explain(const Items& items, const Progress& progress) {
  std::vector<int64_t> numbers;
  for (const ItemRange& range : items) {
    for (int64_t item = range.first; item < range.end; ++item) numbers.push_back(row_of(item));
  }
  const AskedRows asked = stream_->ask(numbers);
  ExplainedRows block;
  block.rows.resize(numbers.size());
  std::vector<Question> questions;
  std::vector<PartRow*> rows;
  size_t next = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    PartRow& row = block.rows[i];
    row.number = request_.question.rows.number_of(numbers[i]);
    const auto failure = std::find_if(asked.failures.begin(), asked.failures.end(),
                                      [&](const RowFailure& one) { return one.number == numbers[i]; });
    if (failure != asked.failures.end()) {
      row.name = failure->source;
      row.error = failure->reason;
      continue;
    }
    const RowQuestion& question = asked.questions[next++];
    row.name = question.source;
    try {
      row.baseline_output = model_.baseline_output(question);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numeric) throw;
      row.error = error.what();
      continue;
    }
    row.layout = layout_of(block, question);
    row.target = question.readout ? -1 : question.target;
    row.about = question.target_text();
    row.output = std::numeric_limits<double>::quiet_NaN();
    row.answers.resize(methods_.size());
    questions.push_back(question);
    rows.push_back(&row);
  }
  for (size_t m = 0; m < methods_.size() && !questions.empty(); ++m) {
    const auto count = std::ssize(methods_);
    answer(m, questions, rows, [&](std::string_view, int64_t done, int64_t total) {
      report(progress, methods_[m].method.name, static_cast<int64_t>(m) * total + done, count * total);
    });
  }
  block.notes = std::exchange(notes_, {});
  running_.note(block.notes);
  return body_of(block);
}

Failures failures_of(const std::string& body, size_t methods, const std::string& where) {
  Failures failures;
  for (const PartRow& row : explained_rows(body, methods, where).rows) {
    std::string error = row.error;
    for (const PartAnswer& answer : row.answers) {
      if (error.empty()) error = answer.error;
    }
    if (error.empty()) continue;
    ++failures.count;
    if (failures.first.empty()) failures.first = fmt::format("{}: {}", row.name, error);
  }
  return failures;
}

}  // namespace

PartResult explain_part(const Subject& subject, const ExplainRequest& request, const PartRequest& part) {
  if (request.allocations || request.trace) {
    fail(ErrorKind::argument, request.allocations ? "allocations" : "trace",
         "parts of a data set hold the values of the players; ask about single rows for more");
  }
  if (part.batch < 0) fail(ErrorKind::argument, "batch", "got {}; expected 0 or more", part.batch);
  Running running(request.run);
  RowExplainer explainer(subject, request, running);
  const int64_t batch = part.batch > 0 ? part.batch : usual_batch(explainer.elements());
  PartResult result = write_part_of(
      part, explainer.header(batch), explainer.items(), request.question.rows.numbers, batch, running,
      [&](const Items& items, const Progress& inner) { return explainer.explain(items, inner); },
      [&](const std::string& body) { return failures_of(body, explainer.methods(), part.folder); });
  result.notes = running.notes();
  return result;
}

}  // namespace ascribe::core::study
