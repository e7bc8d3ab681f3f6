// ascribe predict: what a model says about data. Outputs with one axis of two or more are
// read as classes and ranked; everything else is shown as values.
#include <algorithm>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/prediction.h"
#include "cli/read_inputs.h"
#include "cli/terminal.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr int64_t kMostValues = 4096;  // of a row in a JSON document; -o writes all
constexpr int64_t kShownValues = 8;    // of a row on the screen
constexpr int64_t kShownClasses = 3;   // of a row if there are several

struct Options {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
  int top = 5;
};

std::string class_name(int64_t index, const std::vector<std::string>& labels) {
  return labels.empty() ? fmt::format("class {}", index) : printable(labels[index]);
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
  Lines lines = {{"class"}};
  if (!labels.empty()) lines[0].push_back("label");
  if (answer.scores == ScoreKind::logits) lines[0].push_back("logit");
  if (answer.scores == ScoreKind::log_probabilities) lines[0].push_back("log probability");
  lines[0].push_back("probability");
  for (const Ranked& ranked : ranking(answer, 0, count)) {
    std::vector<std::string> line = {fmt::format("{}", ranked.index)};
    if (!labels.empty()) line.push_back(printable(labels[ranked.index]));
    if (answer.scores != ScoreKind::probabilities) line.push_back(fmt::format("{:.4f}", ranked.score));
    line.push_back(fmt::format("{:.4f}", ranked.probability));
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// Several rows: a line each, with as many of the top classes as are worth the width.
void print_rankings(const Prediction& answer, const std::vector<std::string>& sources,
                    const std::vector<std::string>& labels, int64_t count) {
  Lines lines;
  for (int64_t row = 0; row < answer.rows; ++row) {
    std::vector<std::string> line = {printable(sources[row])};
    for (const Ranked& ranked : ranking(answer, row, count)) {
      line.push_back(fmt::format("{} {:.4f}", class_name(ranked.index, labels), ranked.probability));
    }
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

void print_values(const Prediction& answer, const std::vector<std::string>& sources) {
  Lines lines;
  for (int64_t row = 0; row < answer.rows; ++row) {
    std::vector<std::string> line;
    if (answer.rows > 1) line.push_back(printable(sources[row]));
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
  if (answer.scores == ScoreKind::values) {
    return answer.size <= kShownValues ? text : fmt::format("{}, {} values", text, to_string(answer.row_shape()));
  }
  return answer.rows == 1 ? text : fmt::format("{}, top {} of {} classes with probability", text, shown, answer.size);
}

void print_answer(const Prediction& answer, const std::vector<std::string>& sources,
                  const std::vector<std::string>& labels, int64_t top) {
  const int64_t shown = std::min({top, answer.size, answer.rows == 1 ? answer.size : kShownClasses});
  fmt::print("{}\n", title(answer, sources, shown));
  if (answer.scores == ScoreKind::values) print_values(answer, sources);
  else if (answer.rows == 1) print_ranking(answer, labels, shown);
  else print_rankings(answer, sources, labels, shown);
}

Json answer_as_json(const Prediction& answer, int64_t row, const std::vector<std::string>& labels, int64_t top) {
  Json json = {{"name", answer.name}, {"shape", answer.row_shape()}};
  if (answer.scores != ScoreKind::values) {
    json["top"] = Json::array();
    for (const Ranked& ranked : ranking(answer, row, top)) {
      Json one = {{"index", ranked.index}};
      if (!labels.empty()) one["label"] = labels[ranked.index];
      if (answer.scores == ScoreKind::logits) one["logit"] = ranked.score;
      one["probability"] = ranked.probability;
      json["top"].push_back(one);
    }
  }
  if (answer.size <= kMostValues) {
    json["values"] = Json::array();
    for (int64_t i = 0; i < answer.size; ++i) json["values"].push_back(answer.at(row, i));
  }
  return json;
}

void print_as_json(const Options& options, const Model& model, const std::vector<Prediction>& answers,
                   const std::vector<std::string>& sources, const std::vector<std::string>& labels,
                   const std::vector<std::string>& notes) {
  Json json = {{"model", options.model.path}, {"precision", to_string(model.precision())}, {"notes", notes}};
  json["predictions"] = Json::array();
  for (size_t row = 0; row < sources.size(); ++row) {
    Json outputs = Json::array();
    for (const Prediction& answer : answers) {
      if (static_cast<int64_t>(row) < answer.rows) outputs.push_back(answer_as_json(answer, row, labels, options.top));
    }
    json["predictions"].push_back({{"input", sources[row]}, {"outputs", outputs}});
  }
  print_json(json);
}

void check_labels(const std::vector<Prediction>& answers, const std::vector<std::string>& labels,
                  const std::string& path) {
  for (const Prediction& answer : answers) {
    if (answer.scores == ScoreKind::values || labels.empty()) continue;
    if (static_cast<int64_t>(labels.size()) != answer.size) {
      fail(ErrorKind::shape, path, "the labels do not fit the output '{}'; got {} labels; expected {}", answer.name,
           labels.size(), answer.size);
    }
  }
}

void write_answers(const OutputOptions& options, const std::vector<Prediction>& answers) {
  if (options.path.empty()) return;
  if (options.path.ends_with(".npy")) {
    if (answers.size() != 1) {
      fail(ErrorKind::argument, options.path, "the model has {} outputs; write them to a .npz file", answers.size());
    }
    write_output(options, format_npy(answers[0].values));
    return;
  }
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const Prediction& answer : answers) arrays.emplace_back(answer.name, answer.values);
  write_output(options, format_npz(arrays));
}

void predict(const Options& options) {
  check_output(options.output, {".npy", ".npz"});
  const std::vector<std::string> labels = read_labels(options.input.labels);
  Model model = load_model(options.model, options.general);
  std::vector<std::string> notes = model.notes();
  const ModelInputs inputs = read_inputs(model, options.input, notes);
  print_notes(notes, options.general.quiet);
  const std::vector<Prediction> answers =
      predictions_of(model, inputs.tensors, inputs.sources, progress_bar(options.general.quiet));
  check_labels(answers, labels, options.input.labels);
  write_answers(options.output, answers);
  if (options.general.json) {
    print_as_json(options, model, answers, inputs.sources, labels, notes);
    return;
  }
  for (const Prediction& answer : answers) print_answer(answer, inputs.sources, labels, options.top);
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("predict", "What a model says about data: top classes or values");
  auto options = std::make_shared<Options>();
  add_model_options(command, options->model);
  add_input_options(command, options->input);
  command.add_option("--top", options->top, "How many classes to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  add_output_options(command, options->output, "Write the outputs to a .npy or .npz file");
  add_general_options(command, options->general);
  command.callback([options] { predict(*options); });
}

}  // namespace ascribe::core
