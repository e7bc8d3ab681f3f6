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
#include "study/target.h"

namespace ascribe::core::study {

struct RowQuestion;

struct QuestionRequest {
  RowSource rows;
  std::string labels = {};                    // a file with the names of the classes, one per line
  std::vector<std::string> label_names = {};  // or the names
  std::string tokens = {};                    // a vocabulary (data/vocabulary.h): what token ids are called
  // elements, pixels, patch:K, grid:RxC, superpixels:N, columns, inputs, time, time:K, channel or groups:FILE.json; of
  // tokens positions, words, spans:K or groups:FILE.json; empty: as suits the data
  std::string players = {};
  std::vector<int32_t> owners = {};            // or the player of each element of a row, from 0; -1: nobody's, it stays
  std::vector<std::string> player_names = {};  // of `owners`; empty: "player 0" ...
  // zero, mean, value:V, blur:SIGMA, gaussian:SIGMA, file:F or data:F, of tokens also token:ID and pad; empty: zero,
  // and for tokens the padding token if the vocabulary has one
  std::string baseline = {};
  Tensor baselines = {};       // or rows of them, which are averaged
  std::string target = "top";  // what the model puts first, or another one (study/target.h)
  // Or one for each row; or weights of the numbers of the output, [output row...], or [rows, output row...].
  std::vector<std::string> targets = {};
  Tensor target_weights = {};
  // "logit", "probability", or empty: the logit where the numbers are of classes, otherwise the value
  std::string explain = {};
  std::string output = {};  // of the model; empty: the first real one
  // Of the model: the inputs that have the players, "a" or "a,b"; empty: all that numbers or categories enter.
  std::string input = {};
  std::string at = {};  // a node of the model: what it gives has the players, in the place of the input

  bool probability() const { return explain == "probability"; }
  bool chose_players() const { return !players.empty() || !owners.empty(); }
  std::string target_text() const;  // in a word, equal for equal targets
  std::string baseline_or_zero() const { return baseline.empty() ? "zero" : baseline; }
  ExplainOptions options(std::optional<DType> real = std::nullopt) const;
  // With what is read of the output; all questions of a QuestionMaker share it.
  ExplainOptions options(const RowQuestion& any, std::optional<DType> real = std::nullopt) const;
};

// A question, and what is needed to talk about it.
struct RowQuestion : Question {
  std::string source;    // where the row comes from
  std::string explains;  // "logit", "probability", "log-probability", "score", "weighted sum" or "value"
  std::string output;    // of the model
  std::string label;     // of the target's class; empty: it has none
  std::string about;     // the target in words: "Ankle boot (class 9)"
  ReadoutRef readout;    // if more than one number of the output is read; the target is then one of its parts
  std::string baseline;  // as it was asked for: "zero"
  size_t input = 0;      // the one that has players
  Shape row;             // of that input
  std::optional<RowPicture> picture;
  std::optional<TokenRow> tokens;   // if the row is text
  std::vector<Tensor> entered;      // the row of the file's inputs, if it came through an entrance
  std::vector<RowPart> parts = {};  // of that input, if it is made of several

  const Tensor& x() const { return point[input]; }
  Tensor part_of_x(const RowPart& part) const;  // in its own shape
  std::optional<ImageShape> image() const;
  std::string target_text() const { return about; }   // "Ankle boot (class 9)"
  std::string title(const std::string& model) const;  // "relu_vgg.onnx: logit of Ankle boot (class 9) for boot.png"
  std::string baselines_text() const;                 // "zero", or "data:F, mean over 20 rows"
  std::vector<std::string> player_labels() const;     // "rooms = 4" where a player is one number
};

// {index, label?, description}; the index is null if more than one number is read
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
  // `numbers`: which of the request's targets are theirs, if it has one for each row; otherwise as they come.
  void take_targets(std::span<const int64_t> numbers = {});

  // The same for rows that were read elsewhere, in place of those before: use_rows, take_baselines,
  // find_top_classes, and take_targets or set_targets.
  void use_rows(ModelInputs inputs, std::string_view where);
  void find_top_classes();  // runs the model
  const std::vector<int64_t>& top_classes() const { return tops_; }
  void set_targets(std::span<const int64_t> targets);  // classes
  // Whether all rows that will ever be asked about can share one explained model.
  bool same_for_all_rows() const { return same_for_all_rows_; }
  const std::vector<std::string>& labels() const { return labels_; }

  std::vector<RowQuestion>& questions() { return questions_; }

 private:
  std::vector<Tensor> first_look();
  void look();
  struct Resolvers {
    std::vector<TargetResolver> list;
    bool for_all = true;  // one; otherwise one for each row
    const TargetResolver& of(size_t row) const { return list[for_all ? 0 : row]; }
  };
  Resolvers resolvers_of(std::span<const int64_t> numbers) const;
  void take_picks(const Resolvers& resolvers, const std::vector<Pick>& picks);
  std::string explained_noun(const OutputForm& form, const Pick& pick, const OutputRow& row) const;
  Players players_of(const RowQuestion& question, const std::vector<std::string>& columns) const;
  Tensor baselines_of(const RowQuestion& question);
  const std::string& baseline();  // of the request, or the usual one
  Tensor entered_baselines(const std::string& path, const RowQuestion& question);
  void note_categories(const RowQuestion& question);

  Subject subject_;
  Model& model_;
  DType real_;
  const QuestionRequest& request_;
  std::string baseline_;  // empty: not known yet
  uint64_t seed_;
  std::vector<std::string>& notes_;
  std::vector<std::string> labels_;
  std::vector<Tensor> rows_;  // a tensor per input of the model
  std::vector<RowQuestion> questions_;
  Tensor shared_baselines_;    // of all rows, if they do not depend on them
  std::vector<int64_t> tops_;  // per row
  Tensor said_;                // what the model says in the explained output
  std::vector<int64_t> last_;  // position of each row, if they are sequences and it was asked for
  bool same_for_all_rows_ = true;
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

// Players as a request gives them, element by element.
Players given_players(const QuestionRequest& request, const Shape& row, const std::optional<ImageShape>& image);

// Players of a row that is known, as a request names them.
Players row_players(const RowQuestion& question, const std::string& text, const std::vector<std::string>& columns = {});

// The target of a request against the output that it explains.
TargetResolver resolver_of(const QuestionRequest& request, const Graph& model, const TargetText& text,
                           const std::vector<std::string>& labels);

// The targets of a request: one for all rows, or one for each. `words`: as parse_target has it.
std::vector<TargetText> target_texts(const QuestionRequest& request, const OutputForm& form,
                                     const std::vector<std::string>& labels, std::string_view words);

// Refuses to explain probabilities of what is a log-probability.
void check_explain(const QuestionRequest& request, const Pick& pick);

// The options of a request about rows that are not known yet: a target that depends on them is one number of each.
ExplainOptions options_for_any_row(const QuestionRequest& request, const Graph& model);

// Whether another row would have other baselines: mean, blur and gaussian.
bool depends_on_input(const std::string& baseline);

// The labels that a request names or brings.
std::vector<std::string> labels_of(const QuestionRequest& request);

}  // namespace ascribe::core::study
