// Options that several commands have, under the same names and with the same meaning, bound to the requests.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "study/choice.h"
#include "study/question.h"

namespace ascribe::core::cli {

struct General {
  uint64_t seed = 0;
  int threads = 0;
  std::string memory = "4G";
  std::string precision;
  std::string log;  // of runs; empty: none is kept
  bool json = false;
  bool quiet = false;

  size_t memory_bytes() const;
  std::optional<DType> real() const;  // nothing: not chosen
  // Notes to stderr, and a bar if that is a terminal or a line a minute; nothing of them if quiet.
  study::Run run() const;
  void notes(const std::vector<std::string>& notes) const;  // printed unless quiet
  // The result as one JSON document, or in words.
  template <class Form, class Text>
  int show(const Form& form, const Text& text) const {
    if (json) print_json(spelled_json(form()));
    else text();
    return 0;
  }
  // Notes and reasons in the words of the command line.
  static core::Json spelled_json(core::Json json, bool is_note = false);
};

struct ModelChoice {
  std::string path;
  std::vector<std::string> shapes = {};  // [NAME=]AxBxC

  study::Subject open(const General& general) const;
  study::ModelSource source(const General& general) const;
};

void add_general(Options& options, General& general);
void add_json(Options& options, General& general);  // --json and --quiet only
Option add_model(Options& options, ModelChoice& model);
void add_reading(Options& options, study::RowSource& rows);  // --columns and --preprocess: how files are read
Option add_rows(Options& options, study::RowSource& rows);   // INPUT, --row and those
void add_labels(Options& options, std::string& labels);
Option add_methods(Options& options, std::vector<std::string>& methods);
void add_settings(Options& options, std::vector<std::string>& settings);  // --set
void add_players(Options& options, study::QuestionRequest& question);
void add_explained(Options& options, study::QuestionRequest& question);  // --explain and --output
void add_entrance(Options& options, study::QuestionRequest& question);   // --tokens and --at
// The question without its rows; `baselines`: what they are for.
void add_question(Options& options, study::QuestionRequest& question, const std::string& baselines);
void add_absence(Options& options, std::string& absence);  // --absence
void add_budget(Options& options, std::string& budget);    // --budget
Option add_output(Options& options, Output& output, const std::string& what);

std::vector<study::MethodWish> wishes(const std::vector<std::string>& names);

// "relu_vgg.onnx: logit of ...", and f(x), f(b), the change, the players and the baseline.
void print_question(const study::RowQuestion& question, const std::string& model, double baseline_output,
                    double change);

}  // namespace ascribe::core::cli
