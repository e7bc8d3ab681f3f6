// What verbs ask about rows of data: which number of the output, against which baselines, shared among whom.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "methods/question.h"
#include "study/rows.h"
#include "study/run.h"
#include "study/subject.h"

namespace ascribe::core::study {

struct QuestionRequest {
  RowSource rows;
  std::string labels = {};                    // a file with the names of the classes, one per line
  std::vector<std::string> label_names = {};  // or the names
  // elements, pixels, patch:K, grid:RxC, superpixels:N, columns, inputs or groups:FILE.json; empty: as suits the data
  std::string players = {};
  std::vector<int32_t> owners = {};            // or the player of each element of a row, from 0; -1: nobody's, it stays
  std::vector<std::string> player_names = {};  // of `owners`; empty: "player 0" ...
  // zero, mean, value:V, blur:SIGMA, gaussian:SIGMA, file:F or data:F
  std::string baseline = "zero";
  Tensor baselines = {};          // or rows of them, which are averaged
  std::string target = "top";     // the class with the largest value, or a class by number or label
  std::string explain = "logit";  // or "probability"
  std::string output = {};        // of the model; empty: the first real one
  // Of the model: the inputs that have the players, "a" or "a,b"; empty: all that numbers or categories enter.
  std::string input = {};

  bool probability() const { return explain == "probability"; }
  bool chose_players() const { return !players.empty() || !owners.empty(); }
  std::string baseline_text() const { return baselines.empty() ? baseline : "given"; }
  ExplainOptions options(std::optional<DType> real = std::nullopt) const;
};

// A question, and what is needed to talk about it.
struct RowQuestion : Question {
  std::string source;    // where the row comes from
  std::string explains;  // "logit", "probability" or "value"
  std::string output;    // of the model
  std::string label;     // of the target; empty: it has none
  std::string baseline;  // as it was asked for: "zero"
  size_t input = 0;      // the one that has players
  Shape row;             // of that input
  std::optional<RowPicture> picture;
  std::vector<RowPart> parts = {};  // of that input, if it is made of several

  const Tensor& x() const { return point[input]; }
  Tensor part_of_x(const RowPart& part) const;  // in its own shape
  std::optional<ImageShape> image() const;
  std::string target_text() const;                    // "Ankle boot (class 9)"
  std::string title(const std::string& model) const;  // "relu_vgg.onnx: logit of Ankle boot (class 9) for boot.png"
  std::string baselines_text() const;                 // "zero", or "data:F, mean over 20 rows"
  std::vector<std::string> player_labels() const;     // "rooms = 4" where a player is one number
};

// {index, label?}
Json target_json(const RowQuestion& question);

// Reads rows, makes players and baselines, runs the model once and finds the targets.
class QuestionMaker {
 public:
  // Of a subject that is ready for the question (asked.h). Rows are read in the model's precision, or in this one.
  QuestionMaker(const Subject& subject, const QuestionRequest& request, uint64_t seed, std::vector<std::string>& notes,
                std::optional<DType> real = std::nullopt);

  // In steps, so that a verb can refuse what would take too long.
  void read_rows();  // with their players
  void take_baselines();
  void take_targets();

  // The same for rows that were read elsewhere, in place of those before: use_rows, take_baselines,
  // find_top_classes, set_targets.
  void use_rows(ModelInputs inputs, std::string_view where);
  void find_top_classes();  // runs the model
  const std::vector<int64_t>& top_classes() const { return tops_; }
  void set_targets(std::span<const int64_t> targets);
  const std::vector<std::string>& labels() const { return labels_; }

  std::vector<RowQuestion>& questions() { return questions_; }

 private:
  std::vector<Tensor> first_look();
  Players players_of(const RowQuestion& question, const std::vector<std::string>& columns) const;
  Tensor baselines_of(const RowQuestion& question);
  Tensor entered_baselines(const std::string& path, const RowQuestion& question);
  void note_categories(const RowQuestion& question);

  Subject subject_;
  Model& model_;
  DType real_;
  const QuestionRequest& request_;
  uint64_t seed_;
  std::vector<std::string>& notes_;
  std::vector<std::string> labels_;
  std::vector<Tensor> rows_;  // a tensor per input of the model
  std::vector<RowQuestion> questions_;
  Tensor shared_baselines_;    // of all rows, if they do not depend on them
  std::vector<int64_t> tops_;  // per row
  bool told_categories_ = false;
};

// All of it: the questions about every row of the request, of a subject that is ready for them. Notes are told.
std::vector<RowQuestion> ask(const Subject& subject, const QuestionRequest& request, Running& running);

// Rows of one input of the model as `text` names them. `x`, if there is one: the row that is explained.
Tensor read_baselines(const std::string& text, const Model& model, size_t input, const RowSource& reading,
                      uint64_t seed, const Tensor* x, const std::optional<ImageShape>& image,
                      std::vector<std::string>& notes);

// Rows of baselines that a caller gives, whatever their shape and type.
Tensor given_baselines(const Tensor& rows, const Shape& row);

// Whether another row would have other baselines: mean, blur and gaussian.
bool depends_on_input(const std::string& baseline);

// The labels that a request names or brings.
std::vector<std::string> labels_of(const QuestionRequest& request);

}  // namespace ascribe::core::study
