// A model, questions about its rows, and the answers.
//
// Arrays are row-major and hold one row: the model's input without the batch axis. Everything is given and returned in
// double; the network computes in the precision of its file unless told otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {
enum class Precision { as_file, float32, float64 };

struct ModelOptions {
  Precision precision = Precision::as_file;
  std::size_t memory = std::size_t{4} << 30;           // bytes for weights and temporary values
  int threads = 0;                                     // 0: as many as the machine has; for the whole process
  std::map<std::string, std::vector<int64_t>> shapes;  // of inputs whose size the file leaves open, batch axis first
  std::string input;                                   // which input is explained; empty: the first real one
  std::string output;                                  // which output; empty: the first real one
  bool probability = false;                            // false: a final softmax is stepped over, the logit is explained
};

// Why did the model say this of this row?
struct Question {
  std::vector<double> input;                                // the explained one
  std::map<std::string, std::vector<double>> other_inputs;  // all others, by name
  std::optional<int64_t> target;                            // which number of the output; nothing: the largest
  std::vector<double> baselines;                            // rows one behind the other, averaged; empty: one of zeros
  // elements, pixels, patch:K, grid:RxC, superpixels:N or groups:FILE.json; empty: pixels for images, elements
  // otherwise
  std::string players;
  // Instead of `players`: the player of each element, counted from 0; -1: nobody's, it stays as it is.
  std::vector<int32_t> owners;
};

struct ASCRIBE_API Attribution {
  std::vector<std::string> players;     // their names: "r3c12" for a pixel
  std::vector<double> values;           // one per player
  std::vector<double> elements;         // one per element of the input, as pictures show it
  std::vector<double> standard_errors;  // one per player, if something was sampled; otherwise empty
  int64_t target = 0;
  double output = 0;           // f(x)
  double baseline_output = 0;  // f(b), the mean over the baselines
  double residual = 0;         // what is explained (MethodInfo::explains_change) less the sum of the values
  bool exact = true;           // false: sampled, or an integral that missed its tolerance
  int64_t evaluations = 0;     // rows that went through the network, forwards or backwards
  std::vector<std::string> notes;

  double sum() const;
  // Indices of the players with the largest magnitudes, the largest first.
  std::vector<std::size_t> strongest(std::size_t count) const;
};

// f(b + players of S) for every set S, as what S brings beyond all of its parts: f(x) = sum over all S of J(S).
struct Decomposition {
  std::vector<std::string> players;
  std::vector<double> effects;  // 2^players numbers J(S); bit p of the index says that player p is in S; [0] is f(b)
  int64_t target = 0;
};

using Settings = std::map<std::string, std::string>;  // parameters of a method: {{"steps", "64"}}

// Not to be used from several threads at once.
class ASCRIBE_API Model {
 public:
  static Model load(const std::string& path, const ModelOptions& options = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::vector<int64_t>& row_shape() const;  // of the explained input
  int64_t targets() const;                        // numbers in a row of the output
  const std::vector<std::string>& notes() const;  // what was assumed in reading the file

  // A row for the explained input from a picture (.png, .jpg), an array (.npy) or a table (.csv) of one row; pictures
  // are preprocessed as `how` says (as --preprocess), or as the input's shape suggests.
  std::vector<double> read_row(const std::string& path, const std::string& how = {});

  // The explained numbers of one row: logits, or probabilities.
  std::vector<double> outputs(const Question& question);

  Attribution explain(const Question& question, std::string_view method, const Settings& settings = {},
                      uint64_t seed = 0);
  // Several rows at once, which is faster.
  std::vector<Attribution> explain(std::span<const Question> questions, std::string_view method,
                                   const Settings& settings = {}, uint64_t seed = 0);

  // Exact, in 2^players evaluations: for few players.
  Decomposition decompose(const Question& question);

 private:
  struct State;
  explicit Model(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace ascribe
