// The one object that runs networks: a file, loaded and canonicalized, or a function of the caller's, with everything
// that is made from it. It owns the graph, the weights (packed once for all graphs that are made from the model, in
// each precision), the sessions, the check that rows are independent, and one memory budget that covers all of it.
//
// A Model is a handle: copies are the same model. One thread at a time may use it; different models may be used by
// different threads.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/opaque.h"
#include "onnx/importer.h"
#include "runtime/session.h"

namespace ascribe::core {

struct LoadOptions {
  std::optional<DType> precision = {};       // f32 or f64; otherwise as the file computes
  std::map<std::string, Shape> shapes = {};  // of inputs that the file leaves open
  std::map<std::string, Tensor> bound = {};  // inputs fixed at load time
  size_t memory = size_t{4} << 30;           // bytes for weights, temporary values and what is kept beside them
  int64_t rows_per_batch = 0;                // 0: as many as pay and fit
  bool one_row = false;                      // the graph is for one row, whatever the file leaves open
  bool keep_graph = true;  // false: weights are held by the runtime alone, and no other graph can be made
};

struct Cost {
  int64_t parameters = 0;    // real numbers stored in the model
  int64_t macs_per_row = 0;  // multiply-adds of convolutions and matrix products
};

// A function instead of a network: only its values are known.
struct FunctionModel {
  OpaqueFunction function;
  Shape row;      // what it takes
  Shape outputs;  // what it gives for a row
  std::string input = "input", output = "output";
};

class Model {
 public:
  static Model load(const std::filesystem::path& path, const LoadOptions& options = {});
  // `name`: for messages. External data are refused.
  static Model load_bytes(std::string bytes, const std::string& name, const LoadOptions& options = {});
  static Model from(ImportedModel imported, const LoadOptions& options = {});
  static Model of(Graph graph, const LoadOptions& options = {});  // that a program made, as it is
  static Model function(FunctionModel function, const LoadOptions& options = {});
  Model variant(Graph graph) const;  // another network of this one's inputs and outputs, within the same budget

  // Canonical. With keep_graph = false its constants are gone.
  const Graph& graph() const;
  const ModelInfo& info() const;
  const Cost& cost() const;
  DType precision() const;
  bool chose_precision() const;  // the caller did; otherwise it is the file's, and few players may be asked in double
  bool batched() const;
  const std::string& why_not_batched() const;
  const std::vector<std::string>& notes() const;
  size_t memory() const;
  Workspace& workspace() const;

  // What the model says of rows: one tensor per graph input, rows first. The first time there are several rows it
  // checks that they do not influence each other. A graph for one row is run row by row.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const Progress& progress = {});
  // Whether rows influence each other, found with the first of these (one row is enough), and how; nothing: they do
  // not. Asked once.
  std::optional<std::string> mixed_rows(std::span<const Tensor> inputs);
  // The same check with two random rows, if it was not made yet and the model takes several.
  void check_rows();
  Session& session();  // of its own graph

  // The session of a graph made from this model, which is made when the key is new. When weights take more than half of
  // the budget, sessions not used for longest are dropped.
  std::shared_ptr<Session> session(const std::string& key, DType real, const std::function<Graph()>& make);
  SessionOptions session_options(DType real) const;  // for a session that lives elsewhere

  // Runs a session on this many rows, one at a time if the model is not batched. `rows`: a tensor for each input of the
  // session's graph, of `count` rows, or of one that is repeated.
  std::vector<Tensor> run(Session& session, std::span<const Tensor> rows, int64_t count, const Progress& progress = {});

 private:
  struct State;
  explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static Model made(ImportedModel imported, const Cost& cost, const LoadOptions& options,
                    std::shared_ptr<Workspace> workspace = nullptr);
  void check_rows(std::span<const Tensor> inputs);

  std::shared_ptr<State> state_;
};

Cost cost_of(const Graph& graph);

}  // namespace ascribe::core
