// A model, and everything that can be asked about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ascribe/array.h>
#include <ascribe/export.h>
#include <ascribe/methods.h>
#include <ascribe/parts.h>
#include <ascribe/question.h>
#include <ascribe/results.h>

namespace ascribe {
inline namespace v1 {

enum class Precision { as_file, float32, float64 };

class ASCRIBE_API LoadOptions {
 public:
  LoadOptions();
  LoadOptions(const LoadOptions&);
  LoadOptions(LoadOptions&&) noexcept;
  LoadOptions& operator=(const LoadOptions&);
  LoadOptions& operator=(LoadOptions&&) noexcept;
  ~LoadOptions();

  // As the file computes is usual; audits and comparisons are in double then.
  LoadOptions& precision(Precision precision);
  // Bytes for weights, temporary values and what is kept beside them, for everything that is done with the model.
  LoadOptions& memory(std::size_t bytes);
  // Of an input whose size the file leaves open, batch axis first; without a name: of the only input.
  LoadOptions& shape(std::vector<int64_t> shape, const std::string& input = {});
  LoadOptions& progress(Progress told);  // of reading the file: false stops it

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Rows [rows, row...] to numbers, as many for each row.
using RowFunction = std::function<std::vector<double>(const Array& rows)>;

// A handle: copies are the same model. It plans its computations once and keeps them, so ask one model many questions.
//
// Several threads may use different models at the same time. One model may be used by several threads too: its calls
// take turns. A function of the caller's (RowFunction, AttributionFunction, Progress) is called on the thread that
// asked.
class ASCRIBE_API Model {
 public:
  static Model load(const std::string& path, const LoadOptions& options = {});
  // The bytes of an .onnx file; `name`: what to call it.
  static Model load_bytes(std::string bytes, const std::string& name = "model.onnx", const LoadOptions& options = {});
  // Any function instead of a network: whatever needs no gradient works on it.
  static Model function(RowFunction function, std::vector<int64_t> row_shape, int64_t outputs,
                        const std::string& name = "function", const LoadOptions& options = {});

  const std::vector<int64_t>& row_shape() const;               // of the first real input
  int64_t targets() const;                                     // numbers in a row of the first real output
  const std::vector<std::string>& notes() const;               // what was assumed in reading the file
  std::string json(const Options& options = {}) const;         // inputs, outputs, operators, size, work
  std::string layers_json(const Options& options = {}) const;  // what rule sets, `layer` and `at` can name inside
  std::string sha256(const Options& options = {}) const;       // of the .onnx file; empty: a function has none

  Prediction predict(const Question& question, const Options& options = {});
  Explanation explain(const Question& question, const std::vector<Method>& methods, const Options& options = {});
  Decomposition decompose(const Question& question, const Options& options = {});
  Audit audit(const Question& question, const std::vector<Method>& methods, const Options& options = {});
  // Of an attribution that exists as numbers: one for every player or element.
  Audit audit(const Question& question, const Array& attribution, const Options& options = {});
  Comparison compare(const Question& question, const Method& first, const Method& second, const Options& options = {});
  // Methods as they run, against their allocation rules, order by order, in double; without names: all that can be
  // verified.
  Verification verify(const Question& question, const std::vector<std::string>& methods = {},
                      const Options& options = {});
  // `data`: idx files, a folder of images, CIFAR's .bin files, .csv, .npy, .npz. The question says all but the rows.
  Evaluation evaluate(const std::string& data, const std::vector<Method>& methods,
                      const std::vector<std::string>& metrics, const Question& question = {},
                      const Options& options = {});
  // The rows of the question are the samples, all of them unless the options say otherwise: one array, whose first axis
  // counts them, or images, one each. Scores are those of the same rows in a file.
  Evaluation evaluate(const Question& question, const std::vector<Method>& methods,
                      const std::vector<std::string>& metrics, const Options& options = {});
  // The same two in parts, for data sets that several processes share: results go to a file of the folder, which
  // `merge` puts together with the others. Options: shard, or the rows say their numbers (Question::row_numbers) and
  // `items` says how many there are in all; batch; force. The rows of the question are the samples.
  Part explain_part(const Question& question, const std::vector<Method>& methods, const std::string& folder,
                    const Options& options = {});
  // An empty `data`: the rows of the question are the samples.
  Part evaluate_part(const std::string& data, const std::vector<Method>& methods,
                     const std::vector<std::string>& metrics, const std::string& folder, const Question& question = {},
                     const Options& options = {});
  // decompose of one huge game in parts: a share of all coalitions of one row (docs/howto/decompose.md). `samples` of
  // the part are subcubes of the game. Options: shard, index, order, influence, absence, at_any_cost.
  Part decompose_part(const Question& question, const std::string& folder, const Options& options = {});
  // `target`: index, one_hot, top, or a class by number or label. Of the question: baselines, players, labels, output,
  // and target_weights, which take the place of `target`.
  Compiled compile(const std::string& method, const std::string& target = "index", const Question& question = {},
                   const Options& options = {});
  Report report(const Question& question, const std::vector<Method>& methods = {"all"}, const Options& options = {});

  struct State;

 private:
  explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace v1
}  // namespace ascribe
