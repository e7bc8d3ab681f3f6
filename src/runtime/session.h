// Runs a graph: any number of rows, cut into batches that fit a memory budget. One thread
// at a time may use a session; its kernels use them all.
//
// Reproducible: in double the same bits for any number of threads, and within 1e-12 if the
// rows are cut into other batches; in float the same bits for the same number of threads and
// the same batches, and within 1e-5 otherwise (relative to the largest output).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "graph/graph.h"
#include "runtime/plan.h"
#include "runtime/workspace.h"

namespace ascribe::core {

struct SessionOptions {
  DType real = DType::f32;  // or f64
  size_t memory =
      size_t{4} << 30;         // weights and temporary values together, of a session that has a workspace of its own
  int64_t rows_per_batch = 0;  // 0: as many as pay and fit
  std::shared_ptr<Workspace> workspace = nullptr;  // of the model; null: one of its own
};

class Session {
 public:
  // Takes the graph over; weights are kept once, packed.
  explicit Session(Graph graph, SessionOptions options = {});

  // One tensor per graph input, any real or integer type; all with the same number of
  // rows. Gives one tensor per graph output.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const Progress& progress = {});

  // Refuses inputs whose number, shape or rows do not fit; gives the number of rows.
  int64_t check(std::span<const Tensor> inputs) const;

  const Graph& graph() const { return graph_; }  // its constants may be gone

  // Temporary memory for a batch of this many rows.
  size_t arena_bytes(int64_t rows) { return plan(rows).arena_bytes(); }
  size_t weight_bytes() const { return weight_bytes_; }  // as the graph has them
  const Workspace& workspace() const { return *options_.workspace; }
  // For tests: whether NaN came up and a batch was run again by kernels that do not lose it.
  bool met_nan() const { return !careful_plans_.empty(); }
  std::vector<std::string> step_names(int64_t rows) { return plan(rows).step_names(); }
  std::vector<Shape> step_shapes(int64_t rows) { return plan(rows).step_shapes(); }
  // From now on, batches of this many rows are timed step by step.
  void time_steps(int64_t rows) { plan(rows).time_steps(); }
  const std::vector<double>& step_seconds(int64_t rows) { return plan(rows).step_seconds(); }

 private:
  struct Made {
    std::unique_ptr<Plan> plan;
    std::shared_ptr<const void> counted;  // by the workspace
  };
  using Plans = std::map<int64_t, Made>;  // by number of rows

  Plan& plan(int64_t rows, bool careful = false);
  int64_t rows_of(std::span<const Tensor> inputs) const;
  int64_t batch_size(int64_t rows);
  void check_input(size_t index, const Tensor& input, int64_t rows) const;
  void run_batch(std::span<const Tensor> inputs, std::vector<Tensor>& outputs, int64_t first, int64_t count,
                 int64_t rows);
  bool try_batch(std::span<const Tensor> inputs, std::vector<Tensor>& outputs, int64_t first, int64_t count,
                 int64_t rows, bool careful);

  Graph graph_;
  SessionOptions options_;
  size_t weight_bytes_ = 0;
  ConstantStore constants_;
  Plans plans_, careful_plans_;
  Plan* bound_ = nullptr;
  std::byte* bound_to_ = nullptr;
};

}  // namespace ascribe::core
