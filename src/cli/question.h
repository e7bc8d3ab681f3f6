// What commands ask about rows of data: which number of the output, against which baselines, shared among whom.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/read_inputs.h"
#include "data/inputs.h"
#include "methods/question.h"

namespace ascribe::core {

struct QuestionOptions {
  std::string players;
  std::string baseline = "zero";
  std::string target = "top";
  std::string explain = "logit";
  std::string output;  // of the model
  std::string input;   // of the model: the one that has the players

  bool probability() const { return explain == "probability"; }
};

void add_players_option(CLI::App& command, QuestionOptions& options);
void add_explain_options(CLI::App& command, QuestionOptions& options);           // --explain and --output
void add_setting_option(CLI::App& command, std::vector<std::string>& settings);  // --set
void add_question_options(CLI::App& command, QuestionOptions& options, const std::string& baselines);

// A question, and what is needed to talk about it.
struct RowQuestion : Question {
  std::string source;    // where the row comes from
  std::string explains;  // "logit", "probability" or "value"
  std::string output;    // of the model
  std::string label;     // of the target; empty: it has none
  size_t input = 0;      // the one that has players
  Shape row;             // of that input
  std::optional<RowPicture> picture;

  std::string target_text() const;  // "Ankle boot (class 9)"
  // "relu_vgg.onnx: logit of Ankle boot (class 9) for ankle_boot.png"
  std::string title(const std::string& model_path) const;
  nlohmann::ordered_json target_as_json() const;
  std::string baselines_text(const std::string& baseline) const;  // "zero", or "data:F, mean over 20 rows"
};

// Reads rows, makes players and baselines, runs the model once and finds the targets.
class QuestionMaker {
 public:
  QuestionMaker(Model& model, const QuestionOptions& options, const InputOptions& input, uint64_t seed,
                std::vector<std::string>& notes);

  // In steps, so that a command can refuse what would take too long.
  void read_rows();  // with their players
  void take_baselines();
  void take_targets();

  // The same for rows that were read elsewhere, in place of those before: use_rows, take_baselines,
  // find_top_classes, set_targets.
  void use_rows(ModelInputs inputs, std::string_view where);
  void find_top_classes();  // runs the model
  const std::vector<int64_t>& top_classes() const { return tops_; }
  void set_targets(std::span<const int64_t> targets);

  std::vector<RowQuestion>& questions() { return questions_; }

 private:
  std::vector<Tensor> first_look();

  Model& model_;
  const QuestionOptions& options_;
  const InputOptions& input_;
  uint64_t seed_;
  std::vector<std::string>& notes_;
  std::vector<Tensor> rows_;  // a tensor per input of the model
  std::vector<RowQuestion> questions_;
  Tensor shared_baselines_;    // of all rows, if they do not depend on them
  std::vector<int64_t> tops_;  // per row
};

// Rows of one input of the model as `--baseline` names them. `x`, if there is one: the row that is explained.
struct BaselineSource {
  const Model& model;
  size_t input = 0;
  const InputOptions& files;
  uint64_t seed = 0;
};
Tensor read_baselines(const std::string& text, const BaselineSource& source, const Tensor* x,
                      const std::optional<ImageShape>& image, std::vector<std::string>& notes);

// Whether another row would have other baselines: mean, blur and gaussian.
bool depends_on_input(const std::string& baseline);

}  // namespace ascribe::core
