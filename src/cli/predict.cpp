// ascribe predict: what a model says about data. Outputs with one axis of two or more are
// read as classes and ranked; everything else is shown as values.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/read_inputs.h"
#include "cli/terminal.h"
#include "tensor/npy.h"

namespace ascribe {

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

// How the numbers of a class output are to be read.
enum class Scores { logits, probabilities, log_probabilities, values };

// An output of the model after a run.
struct Answer {
  std::string name;
  Tensor values;  // [rows, row...]
  int64_t rows = 1;
  int64_t size = 1;  // numbers per row
  Scores scores = Scores::values;

  double at(int64_t row, int64_t index) const { return values.at(row * size + index); }
  Shape row_shape() const {
    const Shape& shape = values.shape();
    return rows == 1 && (shape.empty() || shape[0] != 1) ? shape : Shape(shape.begin() + 1, shape.end());
  }
};

struct Ranked {
  int64_t index = 0;
  double score = 0.0;
  double probability = 0.0;
};

// The operation that makes the numbers of an output: seen through those that only move them.
std::string_view final_operation(const Graph& graph, Value value) {
  const auto moves = [&] {
    return graph.is(value, "reshape") || graph.is(value, "transpose") || graph.is(value, "cast");
  };
  while (moves()) value = graph[value].inputs[0];
  return graph[value].op->name;
}

bool sums_to_one(const Answer& answer) {
  for (int64_t row = 0; row < answer.rows; ++row) {
    double sum = 0.0;
    for (int64_t i = 0; i < answer.size; ++i) {
      if (answer.at(row, i) < 0.0) return false;
      sum += answer.at(row, i);
    }
    if (std::abs(sum - 1.0) > 1e-4) return false;
  }
  return true;
}

Scores scores_of(const Graph& graph, const Port& port, const Answer& answer) {
  const Shape row = answer.row_shape();
  const auto long_axes = std::count_if(row.begin(), row.end(), [](int64_t extent) { return extent > 1; });
  const DType dtype = answer.values.dtype();
  if (long_axes != 1 || (dtype != DType::f32 && dtype != DType::f64)) return Scores::values;
  const std::string_view last = final_operation(graph, port.value);
  if (last == "log_softmax") return Scores::log_probabilities;
  if (last == "sigmoid") return Scores::values;
  return last == "softmax" || sums_to_one(answer) ? Scores::probabilities : Scores::logits;
}

void check_finite(const Answer& answer, const std::vector<std::string>& sources) {
  for (int64_t i = 0; i < answer.values.size(); ++i) {
    const double value = answer.values.at(i);
    if (std::isfinite(value)) continue;
    fail(ErrorKind::numeric, sources[std::min<size_t>(i / answer.size, sources.size() - 1)],
         "the model's output '{}' is {} at position {}; a weight is not finite or a sum too large", answer.name, value,
         i % answer.size);
  }
}

std::vector<Answer> ask(Model& model, const ModelInputs& inputs, const GeneralOptions& general) {
  std::vector<Tensor> outputs = model.run(inputs.tensors, progress_bar(general.quiet));
  std::vector<Answer> answers;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port& port = model.graph().outputs[i];
    const auto rows = static_cast<int64_t>(inputs.sources.size());
    Answer answer;
    answer.name = port.name;
    answer.rows = outputs[i].rank() > 0 && outputs[i].shape()[0] == rows ? rows : 1;
    answer.size = outputs[i].size() / std::max<int64_t>(answer.rows, 1);
    answer.values = std::move(outputs[i]);
    check_finite(answer, inputs.sources);
    answer.scores = scores_of(model.graph(), port, answer);
    answers.push_back(std::move(answer));
  }
  return answers;
}

// Softmax of logits; shifted by the largest, so that nothing overflows.
std::vector<double> probabilities(const Answer& answer, int64_t row) {
  std::vector<double> p(answer.size);
  for (int64_t i = 0; i < answer.size; ++i) p[i] = answer.at(row, i);
  if (answer.scores == Scores::probabilities) return p;
  const double largest = answer.scores == Scores::logits ? *std::max_element(p.begin(), p.end()) : 0.0;
  for (double& value : p) value = std::exp(value - largest);
  if (answer.scores == Scores::log_probabilities) return p;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= sum;
  return p;
}

std::vector<Ranked> ranking(const Answer& answer, int64_t row, int64_t count) {
  const std::vector<double> p = probabilities(answer, row);
  std::vector<int64_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return answer.at(row, a) > answer.at(row, b); });
  order.resize(std::min<size_t>(order.size(), count));
  std::vector<Ranked> ranked;
  for (const int64_t index : order) ranked.push_back({index, answer.at(row, index), p[index]});
  return ranked;
}

std::string class_name(int64_t index, const std::vector<std::string>& labels) {
  return labels.empty() ? fmt::format("class {}", index) : printable(labels[index]);
}

// The first values of a row, a cell each.
std::vector<std::string> value_cells(const Answer& answer, int64_t row) {
  std::vector<std::string> cells;
  for (int64_t i = 0; i < std::min(answer.size, kShownValues); ++i) {
    cells.push_back(fmt::format("{:.6g}", answer.at(row, i)));
  }
  if (answer.size > kShownValues) cells.push_back("...");
  return cells;
}

// One row: a table of its top classes.
void print_ranking(const Answer& answer, const std::vector<std::string>& labels, int64_t count) {
  Lines lines = {{"class"}};
  if (!labels.empty()) lines[0].push_back("label");
  if (answer.scores == Scores::logits) lines[0].push_back("logit");
  if (answer.scores == Scores::log_probabilities) lines[0].push_back("log probability");
  lines[0].push_back("probability");
  for (const Ranked& ranked : ranking(answer, 0, count)) {
    std::vector<std::string> line = {fmt::format("{}", ranked.index)};
    if (!labels.empty()) line.push_back(printable(labels[ranked.index]));
    if (answer.scores != Scores::probabilities) line.push_back(fmt::format("{:.4f}", ranked.score));
    line.push_back(fmt::format("{:.4f}", ranked.probability));
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// Several rows: a line each, with as many of the top classes as are worth the width.
void print_rankings(const Answer& answer, const std::vector<std::string>& sources,
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

void print_values(const Answer& answer, const std::vector<std::string>& sources) {
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
std::string title(const Answer& answer, const std::vector<std::string>& sources, int64_t shown) {
  std::string text = printable(answer.name);
  if (answer.rows == 1) text += " of " + printable(sources[0]);
  if (answer.scores == Scores::values) {
    return answer.size <= kShownValues ? text : fmt::format("{}, {} values", text, to_string(answer.row_shape()));
  }
  return answer.rows == 1 ? text : fmt::format("{}, top {} of {} classes with probability", text, shown, answer.size);
}

void print_answer(const Answer& answer, const std::vector<std::string>& sources, const std::vector<std::string>& labels,
                  int64_t top) {
  const int64_t shown = std::min({top, answer.size, answer.rows == 1 ? answer.size : kShownClasses});
  fmt::print("{}\n", title(answer, sources, shown));
  if (answer.scores == Scores::values) print_values(answer, sources);
  else if (answer.rows == 1) print_ranking(answer, labels, shown);
  else print_rankings(answer, sources, labels, shown);
}

Json answer_as_json(const Answer& answer, int64_t row, const std::vector<std::string>& labels, int64_t top) {
  Json json = {{"name", answer.name}, {"shape", answer.row_shape()}};
  if (answer.scores != Scores::values) {
    json["top"] = Json::array();
    for (const Ranked& ranked : ranking(answer, row, top)) {
      Json one = {{"index", ranked.index}};
      if (!labels.empty()) one["label"] = labels[ranked.index];
      if (answer.scores == Scores::logits) one["logit"] = ranked.score;
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

void print_as_json(const Options& options, const Model& model, const std::vector<Answer>& answers,
                   const std::vector<std::string>& sources, const std::vector<std::string>& labels,
                   const std::vector<std::string>& notes) {
  Json json = {{"model", options.model.path}, {"precision", to_string(model.precision())}, {"notes", notes}};
  json["predictions"] = Json::array();
  for (size_t row = 0; row < sources.size(); ++row) {
    Json outputs = Json::array();
    for (const Answer& answer : answers) {
      if (static_cast<int64_t>(row) < answer.rows) outputs.push_back(answer_as_json(answer, row, labels, options.top));
    }
    json["predictions"].push_back({{"input", sources[row]}, {"outputs", outputs}});
  }
  print_json(json);
}

void check_labels(const std::vector<Answer>& answers, const std::vector<std::string>& labels, const std::string& path) {
  for (const Answer& answer : answers) {
    if (answer.scores == Scores::values || labels.empty()) continue;
    if (static_cast<int64_t>(labels.size()) != answer.size) {
      fail(ErrorKind::shape, path, "the labels do not fit the output '{}'; got {} labels; expected {}", answer.name,
           labels.size(), answer.size);
    }
  }
}

void write_answers(const OutputOptions& options, const std::vector<Answer>& answers) {
  if (options.path.empty()) return;
  if (options.path.ends_with(".npy")) {
    if (answers.size() != 1) {
      fail(ErrorKind::argument, options.path, "the model has {} outputs; write them to a .npz file", answers.size());
    }
    write_output(options, format_npy(answers[0].values));
    return;
  }
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const Answer& answer : answers) arrays.emplace_back(answer.name, answer.values);
  write_output(options, format_npz(arrays));
}

void predict(const Options& options) {
  check_output(options.output, {".npy", ".npz"});
  const std::vector<std::string> labels = read_labels(options.input.labels);
  Model model = load_model(options.model, options.general);
  std::vector<std::string> notes = model.notes();
  const ModelInputs inputs = read_inputs(model, options.input, notes);
  print_notes(notes, options.general.quiet);
  const std::vector<Answer> answers = ask(model, inputs, options.general);
  check_labels(answers, labels, options.input.labels);
  write_answers(options.output, answers);
  if (options.general.json) {
    print_as_json(options, model, answers, inputs.sources, labels, notes);
    return;
  }
  for (const Answer& answer : answers) print_answer(answer, inputs.sources, labels, options.top);
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

}  // namespace ascribe
