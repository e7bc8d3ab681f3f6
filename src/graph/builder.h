// Appends nodes to a Graph: infers their types and folds what is constant. Integers
// that depend on the batch (a Shape turned into a Reshape target) are folded too, as
// fixed + per_row * N, by evaluating the operation for a few batches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// What a file may cost while it is being built. Constants beyond the folding limits are left
// to be computed at run time.
struct BuildLimits {
  int64_t nodes = int64_t{1} << 22;
  int64_t fold_bytes = int64_t{1} << 30;  // of all folded constants together
  int64_t fold_work = int64_t{1} << 33;   // scalar operations, estimated
};

class Builder {
 public:
  explicit Builder(Graph& graph, BuildLimits limits = {}) : graph_(graph), limits_(limits) {}

  // Named in every complaint until the next call: "node 'conv1' (Conv)".
  void set_where(std::string where) { where_ = std::move(where); }
  const std::string& where() const { return where_; }
  // The name given to nodes from now on.
  void set_name(std::string name) { name_ = std::move(name); }

  Value input(const std::string& name, Type type, std::string element_type = "float32");
  void output(const std::string& name, Value value, std::string element_type = "float32");

  Value constant(Tensor tensor);
  Value scalar(double value);  // a real of rank 0
  Value integer(int64_t value);
  Value integers(const Dims& values);                      // rank 1
  Value integers(const Dims& values, const Shape& shape);  // may depend on the batch

  // Any core operation. Returns an existing value where the result is constant.
  Value op(std::string_view op, std::vector<Value> inputs, Attributes attributes = {});

  const Type& type(Value value) const { return graph_[value].type; }
  const Dims& shape(Value value) const { return graph_[value].type.shape; }
  int64_t rank(Value value) const { return static_cast<int64_t>(shape(value).size()); }
  Kind kind(Value value) const { return graph_[value].type.kind; }

  bool is_constant(Value value) const;                    // the same for every batch
  std::optional<Tensor> known(Value value) const;         // its value, if constant
  std::optional<Dims> known_integers(Value value) const;  // integer values, possibly growing with N; flat

  // The commonest operations by name, so that lowerings read like formulas.
  Value add(Value a, Value b) { return op("add", {a, b}); }
  Value sub(Value a, Value b) { return op("sub", {a, b}); }
  Value mul(Value a, Value b) { return op("mul", {a, b}); }
  Value div(Value a, Value b) { return op("div", {a, b}); }
  Value add(Value a, double b) { return add(a, scalar(b)); }
  Value mul(Value a, double b) { return mul(a, scalar(b)); }
  Value reshape(Value x, Dims shape) { return op("reshape", {x}, {{"shape", std::move(shape)}}); }
  Value transpose(Value x, const std::vector<int64_t>& perm) { return op("transpose", {x}, {{"perm", ints(perm)}}); }
  Value expand(Value x, Dims shape) { return op("expand", {x}, {{"shape", std::move(shape)}}); }
  Value matmul(Value a, Value b, bool transpose_a = false, bool transpose_b = false);
  Value concat(std::vector<Value> parts, int64_t axis) {
    return op("concat", std::move(parts), {{"axis", ints({axis})}});
  }
  Value reduce(std::string_view name, Value x, const std::vector<int64_t>& axes, bool keepdims);
  // One axis only: elements start, start + step, ... (size of them).
  Value slice(Value x, int64_t axis, Dim start, Dim size, int64_t step = 1);
  Value cast(Value x, Kind kind);

  Graph& graph() { return graph_; }

 private:
  Value append(Node node);
  // Takes the cost of folding from the limits; false if they do not suffice.
  bool afford(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes, const Type& type,
              int64_t evaluations);
  std::optional<Value> fold(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes,
                            const Type& type);
  std::optional<Value> fold_growing(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes,
                                    const Type& type);

  Graph& graph_;
  BuildLimits limits_;
  std::string where_ = "graph";
  std::string name_;
};

// Evaluates one operation on concrete operands with its reference `apply`.
Tensor evaluate(const Op& op, std::span<const Tensor> inputs, const Attributes& resolved, const Type& type,
                int64_t batch, DType real_dtype);

// An integer constant at one batch, for nodes of op "constant" and "growing_constant".
Tensor constant_at(const Node& node, int64_t batch);

}  // namespace ascribe::core
