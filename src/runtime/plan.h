// A graph made ready to run for one number of rows and one precision: kernels in order,
// bound to places in one arena. Running it allocates nothing.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "runtime/arena.h"
#include "runtime/kernels/constants.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core {

class Plan {
 public:
  // `constants` holds what was taken out of the graph, and outlives the plan.
  // A careful plan has only kernels that hand NaN on as the references do (Kernel::careless), which takes longer.
  Plan(const Graph& graph, ConstantStore& constants, int64_t batch, DType real, bool careful = false);

  size_t arena_bytes() const { return arena_bytes_; }
  size_t own_bytes() const;  // of its kernels, roughly
  // Must be called before the first run and whenever the arena moves.
  void bind(std::byte* arena);
  // One pointer per graph input and output: row-major, in the storage type of the plan.
  // False: NaN came up that a kernel may have lost, and the outputs are not written.
  [[nodiscard]] bool run(std::span<const void* const> inputs, std::span<void* const> outputs);

  // For tests and inspection: the operations in order, fused ones joined by '+'.
  std::vector<std::string> step_names() const;
  std::vector<Shape> step_shapes() const;  // of their results
  // Seconds that each step has taken since time_steps; nothing is timed before.
  void time_steps();
  const std::vector<double>& step_seconds() const { return seconds_; }

 private:
  // Where a value lies: in a buffer of the arena, or with the constants.
  struct Place {
    int buffer = -1;
    const void* constant = nullptr;
    Operand operand;
  };
  struct Step {
    std::unique_ptr<Kernel> kernel;
    std::vector<Place> inputs;  // buffer -1 and no constant: held by the kernel
    Place output;
    int scratch = -1;
    std::string name;
  };

  void add_inputs();
  void add_node(Value value);
  void add_step(Value value);
  void add_outputs();
  bool add_alias(Value value);
  void run_steps();
  bool run_watched(std::span<const void* const> inputs);
  void run_timed();
  Operand operand_of(Value value) const;
  std::vector<Follower> followers_of(Value value, std::vector<Value>& chain) const;
  Place place_of(Value value);
  Place in_layout(Value value, const LayoutPtr& layout);
  void read(const Place& place);
  int new_buffer(size_t bytes);
  void define(Value value, const Place& place);
  int current_step() const { return static_cast<int>(steps_.size()) + 1; }
  std::byte* address(const Place& place, std::byte* arena) const;

  const Graph& graph_;
  ConstantStore& constants_;
  int64_t batch_;
  DType real_;
  bool alone_ = false;              // so little work that one thread does it
  bool one_way_ = false;            // KernelRequest
  bool careful_ = false;            // KernelRequest
  bool careless_ = false;           // some kernel is
  std::vector<int> readers_;        // of each value, live nodes only
  std::vector<Value> sole_reader_;  // the node that reads it, if exactly one does
  std::vector<bool> done_;          // computed, perhaps inside another kernel
  std::map<Value, Place> places_;
  std::vector<std::pair<Value, Place>> copies_;  // the same values in other layouts
  std::vector<int> pending_;                     // reads of a buffer still to come
  std::vector<Buffer> buffers_;
  std::vector<Tensor> batch_constants_;
  std::vector<Step> steps_;
  std::vector<Place> input_places_, output_places_;
  size_t arena_bytes_ = 0;
  std::byte* arena_ = nullptr;
  std::vector<double> seconds_;  // by step; empty: not timed
};

}  // namespace ascribe::core
