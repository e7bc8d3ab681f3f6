// A model made ready for questions: the explained number of every target as an output. What runs is the model
// (model/model.h), whose sessions all its questions share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "methods/question.h"
#include "methods/readout.h"
#include "model/model.h"
#include "tensor/rows.h"

namespace ascribe::core {

struct ExplainOptions {
  std::string output = {};         // which of the model's outputs; empty: the first real one
  bool probability = false;        // keep a final softmax or sigmoid
  std::string input = {};          // to which of the model's inputs; empty: the first real one
  std::optional<DType> real = {};  // nothing: as the model computes
  ReadoutRef readout = {};         // what is read of the output; null: its numbers, one at a time
  bool keep_sigmoid = false;       // a final sigmoid is a layer like any other, not the head of a classifier
};

class ExplainedModel {
 public:
  explicit ExplainedModel(Model model, ExplainOptions options = {});
  // Of a graph that a program made; it keeps a final sigmoid.
  explicit ExplainedModel(Graph graph, ExplainOptions options = {});

  Model& model() { return model_; }
  const Model& model() const { return model_; }
  // Inputs: the model's. Outputs: what the model says, and "explained" (methods/compile.h).
  const Graph& graph() const { return graph_; }
  size_t input() const { return input_; }       // the explained one
  const Shape& row() const { return row_; }     // the shape of one row of it
  int64_t targets() const { return targets_; }  // numbers in a row of the explained output
  bool batched() const { return batched_; }     // false: the graph is made for one row
  const ExplainOptions& options() const { return options_; }
  DType real() const { return real_; }
  size_t memory() const { return model_.memory(); }
  // Of rows that a method or metric makes at a time; larger batches do not run faster.
  int64_t row_bytes() const { return static_cast<int64_t>(std::min(size_t{64} << 20, memory() / 16)); }
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

  // The session of a graph made for what is explained here (Model::session).
  std::shared_ptr<Session> session(const std::string& key, const std::function<Graph()>& make);
  // What a method computes once and needs again, by type and key; it lives as long as this.
  template <class T>
  std::shared_ptr<T> kept(const std::string& key, const std::function<std::shared_ptr<T>()>& make) {
    std::shared_ptr<void>& place = kept_[{typeid(T), key}];
    if (!place) place = std::static_pointer_cast<void>(make());
    return std::static_pointer_cast<T>(place);
  }

  // As Model::run.
  std::vector<Tensor> run(Session& session, std::span<const Tensor> rows, int64_t count,
                          const Progress& progress = {}) {
    return model_.run(session, rows, count, progress);
  }
  int64_t row_count(std::span<const Tensor> rows) const;

 private:
  std::shared_ptr<Session> forward();
  std::string own(const std::string& key) const;

  Model model_;
  ExplainOptions options_;
  DType real_;
  std::vector<std::string> notes_;  // before graph_, whose making fills it
  Graph graph_;
  size_t input_ = 0;
  Shape row_;
  int64_t targets_ = 0;
  bool batched_ = false;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<void>> kept_;
  Tensor known_baselines_, known_outputs_;
};

// The input of this name; the first real one if the name is empty.
size_t explained_input(const Graph& model, std::string_view name);

// The baselines, with x where nobody owns the element.
Tensor effective_baselines(const ExplainedModel& model, const Question& question);

}  // namespace ascribe::core
