// A model made ready for questions: the explained number of every target as an output, and sessions that are
// planned once and shared by the methods.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "methods/question.h"
#include "runtime/session.h"
#include "tensor/rows.h"

namespace ascribe::core {

struct ExplainOptions {
  std::string output;        // which of the model's outputs; empty: the first real one
  bool probability = false;  // keep a final softmax
  std::string input;         // to which of the model's inputs; empty: the first real one
  SessionOptions session;
};

class ExplainedModel {
 public:
  ExplainedModel(const Graph& model, ExplainOptions options);

  // Inputs: the model's. Outputs: what the model says, and "explained" (methods/compile.h).
  const Graph& graph() const { return graph_; }
  size_t input() const { return input_; }       // the explained one
  const Shape& row() const { return row_; }     // the shape of one row of it
  int64_t targets() const { return targets_; }  // numbers in a row of the explained output
  bool batched() const { return batched_; }     // false: the graph is made for one row
  const ExplainOptions& options() const { return options_; }
  DType real() const { return options_.session.real; }
  const std::vector<std::string>& notes() const { return notes_; }

  // The explained number of each row. `rows`: a tensor per input, of the same number of rows; `targets`: one for each
  // row, or one for all.
  std::vector<double> values(std::span<const Tensor> rows, std::span<const int64_t> targets,
                             const Progress& progress = {});

  // All explained numbers of each row.
  Tensor outputs(std::span<const Tensor> rows, const Progress& progress = {});

  struct Gradients {
    Tensor gradient;             // of the explained input, a row for each row
    std::vector<double> values;  // the explained numbers
  };
  Gradients gradients(std::span<const Tensor> rows, std::span<const int64_t> targets, const Progress& progress = {});

  // f at the question's baselines, their mean; elements that nobody owns stay at x. What was asked last is remembered.
  double baseline_output(const Question& question, const Progress& progress = {});

  // The session of a graph, which is made when the key is new. When packed weights take more than half of the memory
  // budget, those not used for longest are dropped; what is returned lives until the next call.
  Session& session(const std::string& key, const std::function<Graph()>& make);
  std::shared_ptr<Session> shared_session(const std::string& key, const std::function<Graph()>& make);

  // What a method computes once for this model, by key; it lives as long as the model. One type per key.
  template <class T>
  std::shared_ptr<T> kept(const std::string& key, const std::function<std::shared_ptr<T>()>& make) {
    std::shared_ptr<void>& place = kept_[key];
    if (!place) place = make();
    return std::static_pointer_cast<T>(place);
  }

  // Runs a session on this many rows, one at a time if the model is not batched. `rows`: a tensor for each input of the
  // session's graph, of `count` rows, or of one that is repeated.
  std::vector<Tensor> run(Session& session, std::span<const Tensor> rows, int64_t count, const Progress& progress = {});
  int64_t row_count(std::span<const Tensor> rows) const;

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<Session> session;
  };
  Session& forward();

  ExplainOptions options_;
  std::vector<std::string> notes_;  // before graph_, whose making fills it
  Graph graph_;
  size_t input_ = 0;
  Shape row_;
  int64_t targets_ = 0;
  bool batched_ = false;
  std::list<Kept> sessions_;  // used last comes first
  std::map<std::string, std::shared_ptr<void>> kept_;
  Tensor known_baselines_, known_outputs_;
};

// The input of this name; the first real one if the name is empty.
size_t explained_input(const Graph& model, std::string_view name);

// The baselines, with x where nobody owns the element.
Tensor effective_baselines(const ExplainedModel& model, const Question& question);

}  // namespace ascribe::core
