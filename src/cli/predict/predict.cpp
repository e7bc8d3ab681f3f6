// ascribe predict: what a model says about data. Outputs with one axis of two or more are ranked, those with several
// axes summed up (print_dense.h), everything else is shown as values.
#include "study/predict.h"

#include <algorithm>

#include "cli/predict/print_dense.h"
#include "cli/recorded.h"
#include "tensor/npy.h"

namespace ascribe::core::cli::command_predict {

namespace {

using study::Prediction;
using study::PredictResult;
using study::Ranked;
using study::ScoreKind;

constexpr int64_t kShownValues = 8;   // of a row on the screen
constexpr int64_t kShownClasses = 3;  // of a row if there are several

struct Choices {
  General general;
  ModelChoice model;
  study::PredictRequest request;
  Output output;
  int top = 5;
};

std::string class_name(int64_t index, const std::vector<std::string>& labels, ScoreKind scores) {
  if (scores == ScoreKind::values) return fmt::format("value {}:", index);
  return labels.empty() ? fmt::format("class {}", index) : printable(labels[static_cast<size_t>(index)]);
}

// Few values are shown in their order.
bool shows_ranking(const Prediction& answer) {
  const bool real = answer.values.dtype() == DType::f32 || answer.values.dtype() == DType::f64;
  return real && answer.ranked() && (answer.scores != ScoreKind::values || answer.size > kShownValues);
}

// The first values of a row, a cell each.
std::vector<std::string> value_cells(const Prediction& answer, int64_t row) {
  std::vector<std::string> cells;
  for (int64_t i = 0; i < std::min(answer.size, kShownValues); ++i) {
    cells.push_back(fmt::format("{:.6g}", answer.at(row, i)));
  }
  if (answer.size > kShownValues) cells.push_back("...");
  return cells;
}

// One row: a table of its top classes.
void print_ranking(const Prediction& answer, const std::vector<std::string>& labels, int64_t count) {
  const bool values = answer.scores == ScoreKind::values;
  Lines lines = {{values ? "number" : "class"}};
  if (!labels.empty()) lines[0].push_back("label");
  if (values) lines[0].push_back("value");
  if (answer.scores == ScoreKind::logits) lines[0].push_back("logit");
  if (answer.scores == ScoreKind::log_probabilities) lines[0].push_back("log probability");
  if (!values) lines[0].push_back("probability");
  for (const Ranked& ranked : ranking(answer, 0, count)) {
    std::vector<std::string> line = {fmt::format("{}", ranked.index)};
    if (!labels.empty()) line.push_back(printable(labels[static_cast<size_t>(ranked.index)]));
    const bool score = answer.scores == ScoreKind::logits || answer.scores == ScoreKind::log_probabilities;
    if (values) line.push_back(fmt::format("{:.6g}", ranked.score));
    if (score) line.push_back(fmt::format("{:.4f}", ranked.score));
    if (!values) line.push_back(fmt::format("{:.4f}", ranked.probability));
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// Several rows: a line each, with as many of the top classes as are worth the width.
void print_rankings(const Prediction& answer, const PredictResult& result, int64_t count) {
  Lines lines;
  for (int64_t row = 0; row < answer.rows; ++row) {
    std::vector<std::string> line = {printable(result.sources[static_cast<size_t>(row)])};
    for (const Ranked& ranked : ranking(answer, row, count)) {
      const std::string name = class_name(ranked.index, result.labels, answer.scores);
      line.push_back(answer.scores == ScoreKind::values ? fmt::format("{} {:.6g}", name, ranked.score)
                                                        : fmt::format("{} {:.4f}", name, ranked.probability));
    }
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

void print_values(const Prediction& answer, const std::vector<std::string>& sources) {
  Lines lines;
  for (int64_t row = 0; row < answer.rows; ++row) {
    std::vector<std::string> line;
    if (answer.rows > 1) line.push_back(printable(sources[static_cast<size_t>(row)]));
    const auto cells = value_cells(answer, row);
    line.insert(line.end(), cells.begin(), cells.end());
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// "logits of boot.png", or what the lines below hold.
std::string title(const Prediction& answer, const std::vector<std::string>& sources, int64_t shown) {
  std::string text = printable(answer.name);
  if (answer.rows == 1) text += " of " + printable(sources[0]);
  if (!shows_ranking(answer)) {
    return answer.size <= kShownValues ? text : fmt::format("{}, {} values", text, to_string(answer.row_shape()));
  }
  if (answer.rows == 1) return text;
  return answer.scores == ScoreKind::values
             ? fmt::format("{}, the largest {} of {} values", text, shown, answer.size)
             : fmt::format("{}, top {} of {} classes with probability", text, shown, answer.size);
}

void print(const PredictResult& result, int64_t top) {
  for (const Prediction& answer : result.predictions) {
    const int64_t shown = std::min({top, answer.size, answer.rows == 1 ? answer.size : kShownClasses});
    if (answer.dense() && answer.size > 0 && !answer.form.row.empty()) {
      for (int64_t row = 0; row < answer.rows; ++row) print_dense(result, answer, row, top);
      continue;
    }
    fmt::print("{}\n", title(answer, result.sources, shown));
    if (!shows_ranking(answer)) print_values(answer, result.sources);
    else if (answer.rows == 1) print_ranking(answer, result.labels, shown);
    else print_rankings(answer, result, shown);
  }
}

void write(const Output& output, const std::vector<Prediction>& answers) {
  if (output.path.empty()) return;
  if (output.path.ends_with(".npy")) {
    if (answers.size() != 1) {
      fail(ErrorKind::argument, output.path, "the model has {} outputs; write them to a .npz file", answers.size());
    }
    return write_output(output, format_npy(answers[0].values));
  }
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const Prediction& answer : answers) arrays.emplace_back(answer.name, answer.values);
  write_output(output, format_npz(arrays));
}

int predict(Choices& choices) {
  check_output(choices.output, {".npy", ".npz"});
  choices.request.run = choices.general.run();
  const study::Subject subject = choices.model.open(choices.general);
  const PredictResult result = study::predict(subject, choices.request);
  const Json record = recorded(choices.general, {}, [&](const study::Origin& origin) {
    return study::record_of(subject, choices.request, result, origin);
  });
  write(choices.output, result.predictions);
  return choices.general.show([&] { return with_record(to_json(result, choices.top), record); },
                              [&] { print(result, choices.top); });
}

const RegisterCommand command({"predict", 2, "What a model says about data: top classes, maps, boxes, tokens or values",
                               [](Options& options) -> std::function<int()> {
                                 auto choices = std::make_shared<Choices>();
                                 add_model(options, choices->model);
                                 add_rows(options, choices->request.rows);
                                 add_labels(options, choices->request.labels);
                                 options.add("--top", choices->top, "How many classes, boxes or tokens to show", "N")
                                     .shows_default()
                                     .range(1, 1000000);
                                 add_output(options, choices->output, "Write the outputs to a .npy or .npz file");
                                 add_general(options, choices->general);
                                 add_log(options, choices->general);
                                 return [choices] { return predict(*choices); };
                               }});

}  // namespace

}  // namespace ascribe::core::cli::command_predict
