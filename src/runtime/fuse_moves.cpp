#include "runtime/fuse_moves.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "graph/opaque.h"

namespace ascribe::core::fuse_moves_pass {
namespace {

constexpr size_t kMostMembers = 32;
constexpr size_t kMostInputs = 12;
constexpr int64_t kShortestRun = 8;  // elements; below, copying element by element is as good
// Runs that differ from row to row are a table beside the value, of 16 bytes for each.
constexpr int64_t kShortestListedRun = 32;
constexpr int64_t kMostBlocks = 1 << 20;  // of a row of all values together: what is followed is a tensor of integers

std::vector<std::vector<int32_t>> live_readers(const Graph& graph, std::vector<bool>& needed) {
  const size_t count = graph.nodes.size();
  needed.assign(count, false);
  for (const Port& port : graph.outputs) needed[port.value.index] = true;
  std::vector<bool> live = needed;
  std::vector<std::vector<int32_t>> readers(count);
  for (size_t i = count; i-- > 0;) {
    if (!live[i]) continue;
    for (const Value input : graph.nodes[i].inputs) {
      live[input.index] = true;
      readers[input.index].push_back(static_cast<int32_t>(i));
    }
  }
  return readers;
}

// The moves of a group, to be followed for any number of rows. Elements are counted in blocks that no move tears apart.
struct Trace {
  struct Step {
    const Op* op = nullptr;
    Attributes attributes;
    Dims shape;
    std::vector<int> operands;  // inputs first, then steps
    Tensor indices;             // of a gather
  };
  std::vector<Dims> inputs;
  std::vector<Step> steps;
  int64_t block = 1;

  int64_t blocks() const {
    int64_t sum = 0;
    for (const Dims& input : inputs) sum += element_count(in_blocks(input, 1));
    for (const Step& step : steps) sum += element_count(in_blocks(step.shape, 1));
    return sum;
  }

  Shape in_blocks(const Dims& dims, int64_t rows) const {
    Shape shape = at(dims, rows);
    shape.back() /= block;
    return shape;
  }

  Attributes in_blocks(const Step& step, int64_t rows) const {
    Attributes attributes = step.attributes.resolved(rows);
    for (const char* name : {"starts", "sizes", "before", "after"}) {
      if (!attributes.has(name)) continue;
      Dims values = attributes.dims(name);
      values.back() = values.back().fixed / block;
      attributes.set(name, values);
    }
    if (attributes.has("shape")) attributes.set("shape", ints(in_blocks(step.shape, rows)));
    return attributes;
  }

  // Which block of which input stands where: 1 + its number, all inputs counted through; 0: zeros. Nothing if sums
  // would overlap.
  std::optional<Tensor> follow(int64_t rows) const {
    std::vector<Tensor> values;
    int64_t next = 1;
    for (const Dims& input : inputs) {
      Tensor ids(DType::i64, in_blocks(input, rows));
      auto data = ids.mutable_data<int64_t>();
      std::iota(data.begin(), data.end(), next);
      next += ids.size();
      values.push_back(std::move(ids));
    }
    for (const Step& step : steps) {
      Tensor result(DType::i64, in_blocks(step.shape, rows));
      if (step.op->name == "add") {
        if (!join(values[step.operands[0]], values[step.operands[1]], result)) return std::nullopt;
      } else {
        std::vector<TensorRef> operands;
        const auto add = [&](const Tensor& tensor) {
          operands.push_back({DType::i64, tensor.shape(), const_cast<void*>(tensor.memory())});
        };
        for (const int operand : step.operands) add(values[operand]);
        if (!step.indices.empty()) add(step.indices);
        const TensorRef out{DType::i64, result.shape(), result.mutable_memory()};
        step.op->apply({operands, out, in_blocks(step, rows)});
      }
      values.push_back(std::move(result));
    }
    return values.back();
  }

  static bool join(const Tensor& a, const Tensor& b, Tensor& sum) {
    const auto x = a.data<int64_t>(), y = b.data<int64_t>();
    auto out = sum.mutable_data<int64_t>();
    for (size_t i = 0; i < out.size(); ++i) {
      if (x[i] != 0 && y[i] != 0) return false;
      out[i] = x[i] + y[i];
    }
    return true;
  }

  std::vector<int64_t> first_ids(int64_t rows) const {
    std::vector<int64_t> first = {1};
    for (const Dims& input : inputs) first.push_back(first.back() + element_count(in_blocks(input, rows)));
    return first;
  }

  struct Origin {
    int64_t input = -1, block = 0;
  };
  static Origin origin(int64_t id, const std::vector<int64_t>& first) {
    if (id == 0) return {};
    const auto after = std::upper_bound(first.begin(), first.end(), id);
    const int64_t input = after - first.begin() - 1;
    return {input, id - first[input]};
  }

  // Whether each row is moved as the only one of a batch of one is.
  bool is_row_by_row(const Tensor& one, const Tensor& many, int64_t rows) const {
    const auto a = one.data<int64_t>(), b = many.data<int64_t>();
    if (b.size() != static_cast<size_t>(rows) * a.size()) return false;
    const auto first_one = first_ids(1), first_many = first_ids(rows);
    for (size_t i = 0; i < b.size(); ++i) {
      const size_t row = i / a.size();
      const Origin from = origin(b[i], first_many);
      Origin expected = origin(a[i % a.size()], first_one);
      if (expected.input >= 0) {
        const int64_t size_one = first_one[expected.input + 1] - first_one[expected.input];
        const int64_t size_many = first_many[expected.input + 1] - first_many[expected.input];
        if (size_many != size_one && size_many != rows * size_one) return false;
        if (size_many != size_one) expected.block += static_cast<int64_t>(row) * size_one;
      }
      if (from.input != expected.input || from.block != expected.block) return false;
    }
    return true;
  }

  Tensor runs(int64_t rows) const {
    const Tensor ids = *follow(rows);
    const auto data = ids.data<int64_t>();
    const auto first = first_ids(rows);
    std::vector<int64_t> runs;
    Origin last;
    for (size_t i = 0; i < data.size(); ++i) {
      const Origin from = origin(data[i], first);
      const bool goes_on = i > 0 && from.input == last.input && (from.input < 0 || from.block == last.block + 1);
      last = from;
      if (goes_on) {
        runs.back() += block;
        continue;
      }
      for (const int64_t number : {static_cast<int64_t>(i) * block, from.input, from.block * block, block}) {
        runs.push_back(number);
      }
    }
    return Tensor::of<int64_t>({static_cast<int64_t>(runs.size() / 4), 4}, runs);
  }
};

class MoveFusion {
 public:
  explicit MoveFusion(Graph& graph) : g_(graph) {}

  void run() {
    readers_ = live_readers(g_, needed_);
    const auto size = static_cast<int32_t>(g_.nodes.size());
    moves_.resize(size);
    for (int32_t i = 0; i < size; ++i) moves_[i] = is_move(i);
    for (int32_t i = size - 1; i >= 0; --i) {
      if (!needed_[i]) continue;
      if (!is_root(i) || !(fuse(i, true) || fuse(i, false))) {
        for (const Value input : g_.nodes[i].inputs) needed_[input.index] = true;
      }
    }
  }

 private:
  const std::string& name(int32_t i) const { return g_.nodes[i].op->name; }
  const Dims& shape_of(Value value) const { return g_[value].type.shape; }

  bool is_move(int32_t i) const {
    const Node& node = g_.nodes[i];
    const std::string& op = node.op->name;
    if (node.type.kind != Kind::real || node.type.shape.empty() || node.inputs.empty()) return false;
    for (const Value input : node.inputs) {
      if (shape_of(input).empty() && op != "gather") return false;
    }
    if (op == "reshape" || op == "concat") return true;
    if (op == "slice") return node.attributes.dims("steps").back() == Dim(1);
    if (op == "pad") return node.attributes.text("mode") == "constant" && node.attributes.real("value") == 0;
    if (op == "transpose") {
      const auto perm = node.attributes.integers("perm");
      return perm.back() == static_cast<int64_t>(perm.size()) - 1;
    }
    if (op == "gather") {
      const auto rank = static_cast<int64_t>(shape_of(node.inputs[0]).size());
      return g_.is(node.inputs[1], "constant") && rank > 1 && node.attributes.integer("axis") != rank - 1;
    }
    return false;
  }

  // A sum of what comes from different places; whether it is one shows when it is followed.
  bool is_sum(int32_t i) const {
    const Node& node = g_.nodes[i];
    if (name(i) != "add" || node.type.kind != Kind::real) return false;
    for (const Value input : node.inputs) {
      if (shape_of(input) != node.type.shape || !leads_to_pad(input.index)) return false;
    }
    return true;
  }

  bool leads_to_pad(int32_t i) const {
    for (int steps = 0; steps < 16; ++steps) {
      if (name(i) == "pad") return moves_[i];
      if (name(i) != "add" && !moves_[i]) return false;
      i = g_.nodes[i].inputs[0].index;
    }
    return false;
  }

  bool is_root(int32_t i) const { return (moves_[i] && name(i) != "reshape") || is_sum(i); }

  bool fuse(int32_t root, bool with_sums) {
    if (!with_sums && !moves_[root]) return false;
    std::set<int32_t, std::greater<>> waiting;
    std::set<int32_t> members = {root};
    std::vector<int32_t> leaves;
    bool only_joins = true;
    const auto join = [&](int32_t i) {
      members.insert(i);
      only_joins = only_joins && (name(i) == "concat" || name(i) == "reshape");
      const size_t count = name(i) == "gather" ? 1 : g_.nodes[i].inputs.size();
      for (size_t k = 0; k < count; ++k) waiting.insert(g_.nodes[i].inputs[k].index);
    };
    join(root);
    while (!waiting.empty()) {
      const int32_t u = *waiting.begin();
      waiting.erase(waiting.begin());
      const bool joins = members.size() < kMostMembers && (moves_[u] || (with_sums && is_sum(u)));
      if (joins) join(u);
      else leaves.push_back(u);
    }
    if (only_joins || leaves.size() > kMostInputs) return false;
    const auto trace = trace_of(members, leaves);
    if (!trace) return false;
    if (trace->blocks() > kMostBlocks) return false;
    const auto one = trace->follow(1), two = trace->follow(2), three = trace->follow(3);
    if (!one || !two || !three) return false;
    const bool row_by_row = trace->is_row_by_row(*one, *two, 2) && trace->is_row_by_row(*one, *three, 3);
    if (!row_by_row && trace->block < kShortestListedRun) return false;
    replace(root, leaves, *trace, row_by_row);
    for (const int32_t leaf : leaves) needed_[leaf] = true;
    return true;
  }

  std::optional<Trace> trace_of(const std::set<int32_t>& members, const std::vector<int32_t>& leaves) const {
    Trace trace;
    std::map<int32_t, int> position;
    int64_t block = 0;
    const auto respect = [&](Dim dim) { block = std::gcd(block, std::gcd(dim.fixed, dim.per_row)); };
    for (const int32_t leaf : leaves) {
      position[leaf] = static_cast<int>(trace.inputs.size());
      trace.inputs.push_back(g_.nodes[leaf].type.shape);
      respect(trace.inputs.back().back());
    }
    for (const int32_t i : members) {
      const Node& node = g_.nodes[i];
      Trace::Step step{node.op, node.attributes, node.type.shape, {}, {}};
      const bool gathers = node.op->name == "gather";
      if (gathers) step.indices = g_[node.inputs[1]].constant;
      if (gathers && (step.indices.empty() || step.indices.dtype() != DType::i64)) return std::nullopt;
      for (size_t k = 0; k < (gathers ? 1 : node.inputs.size()); ++k) {
        step.operands.push_back(position.at(node.inputs[k].index));
      }
      respect(node.type.shape.back());
      for (const char* name : {"starts", "before", "after"}) {
        if (node.attributes.has(name)) respect(node.attributes.dims(name).back());
      }
      position[i] = static_cast<int>(leaves.size() + trace.steps.size());
      trace.steps.push_back(std::move(step));
    }
    if (block < kShortestRun) return std::nullopt;
    trace.block = block;
    return trace;
  }

  void replace(int32_t root, const std::vector<int32_t>& leaves, Trace trace, bool row_by_row) {
    Node& node = g_.nodes[root];
    node.op = &moves_op();
    node.inputs.clear();
    std::vector<int64_t> grows;
    for (const int32_t leaf : leaves) {
      node.inputs.push_back({leaf});
      grows.push_back(all_fixed(g_.nodes[leaf].type.shape) ? 0 : 1);
    }
    const Dim rows(0, 1);
    node.attributes = {{"grows", ints(grows)}};
    node.attributes.set("rows", Dims{row_by_row ? Dim(1) : rows});
    node.attributes.set("repeated", Dims{row_by_row ? rows : Dim(1)});
    auto runs = std::make_shared<OpaqueFunction>();
    runs->name = "runs";
    runs->call = [trace = std::move(trace)](const Tensor& count) { return trace.runs(count.data<int64_t>()[0]); };
    node.attributes.set("runs", Attributes::Function(std::move(runs)));
  }

  Graph& g_;
  std::vector<bool> needed_, moves_;
  std::vector<std::vector<int32_t>> readers_;
};

// Transposes next to a product of two computed matrices.
class TransposeFolding {
 public:
  explicit TransposeFolding(Graph& graph) : g_(graph) { readers_ = live_readers(g_, needed_); }

  void run() {
    for (Node& node : g_.nodes) {
      if (node.op->name == "matmul" && is_computed(node)) {
        fold_operand(node, 0);
        fold_operand(node, 1);
      } else if (node.op->name == "transpose" && node.type.kind == Kind::real) {
        fold_result(node);
      }
    }
  }

 private:
  bool is_computed(const Node& node) const {
    const auto fits = [&](Value value) {
      return !g_.is(value, "constant") && g_[value].type.shape.size() == node.type.shape.size();
    };
    return node.type.shape.size() > 2 && node.type.kind == Kind::real && fits(node.inputs[0]) && fits(node.inputs[1]);
  }

  bool read_once(Value value) const { return readers_[value.index].size() == 1 && !needed_[value.index]; }
  bool is_number(Value value) const { return g_.is(value, "constant") && g_[value].constant.size() == 1; }

  // The value before factors that are one number for all elements; the nodes in between.
  Value before_factors(Value value, std::vector<Value>& factors) const {
    while (read_once(value) && (g_.is(value, "mul") || g_.is(value, "div"))) {
      const Node& node = g_[value];
      const size_t side = is_number(node.inputs[1]) ? 0 : node.op->name == "mul" && is_number(node.inputs[0]) ? 1 : 2;
      if (side == 2 || g_[node.inputs[side]].type.shape != node.type.shape) break;
      factors.push_back(value);
      value = node.inputs[side];
    }
    return value;
  }

  static void swap_last(Dims& dims) { std::swap(dims[dims.size() - 1], dims[dims.size() - 2]); }

  static void flip(Node& matmul, const char* flag) {
    matmul.attributes.set(flag, ints({matmul.attributes.flag(flag) ? 0 : 1}));
  }

  void swap_axes(Value transpose, const std::vector<Value>& factors) {
    Node& node = g_[transpose];
    auto perm = node.attributes.integers("perm");
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    node.attributes.set("perm", ints(perm));
    swap_last(node.type.shape);
    for (const Value factor : factors) swap_last(g_[factor].type.shape);
  }

  // a^T as it is, if that leaves the elements of a line together.
  void fold_operand(Node& matmul, size_t side) {
    if (!read_once(matmul.inputs[side])) return;
    std::vector<Value> factors;
    const Value from = before_factors(matmul.inputs[side], factors);
    if (!g_.is(from, "transpose") || !read_once(from)) return;
    const auto perm = g_[from].attributes.integers("perm");
    if (perm[perm.size() - 2] != static_cast<int64_t>(perm.size()) - 1) return;
    swap_axes(from, factors);
    flip(matmul, side == 0 ? "transpose_a" : "transpose_b");
    settle(g_[from]);
  }

  // (a b)^T = b^T a^T.
  void fold_result(Node& transpose) {
    const auto perm = transpose.attributes.integers("perm");
    const auto rank = perm.size();
    // The result's last axis is the product's last but one.
    if (rank < 3 || perm.back() != static_cast<int64_t>(rank) - 2) return;
    std::vector<Value> factors;
    const Value from = before_factors(transpose.inputs[0], factors);
    if (!g_.is(from, "matmul") || !read_once(from) || !is_computed(g_[from])) return;
    Node& matmul = g_[from];
    const bool a = matmul.attributes.flag("transpose_a"), b = matmul.attributes.flag("transpose_b");
    std::swap(matmul.inputs[0], matmul.inputs[1]);
    matmul.attributes.set("transpose_a", ints({b ? 0 : 1}));
    matmul.attributes.set("transpose_b", ints({a ? 0 : 1}));
    swap_last(matmul.type.shape);
    for (const Value factor : factors) swap_last(g_[factor].type.shape);
    std::vector<int64_t> swapped;
    for (const int64_t axis : perm) {
      const auto last = static_cast<int64_t>(rank) - 1;
      swapped.push_back(axis == last ? last - 1 : axis == last - 1 ? last : axis);
    }
    transpose.attributes.set("perm", ints(swapped));
    settle(transpose);
  }

  // A transpose that has become none is a mere name.
  static void settle(Node& transpose) {
    const auto perm = transpose.attributes.integers("perm");
    if (!std::is_sorted(perm.begin(), perm.end())) return;
    transpose.op = &op_named("reshape");
    transpose.attributes = {};
    transpose.attributes.set("shape", transpose.type.shape);
  }

  Graph& g_;
  std::vector<bool> needed_;
  std::vector<std::vector<int32_t>> readers_;
};

}  // namespace
}  // namespace ascribe::core::fuse_moves_pass

namespace ascribe::core {

void fold_transposes(Graph& graph) { fuse_moves_pass::TransposeFolding(graph).run(); }

void fuse_moves(Graph& graph) { fuse_moves_pass::MoveFusion(graph).run(); }

const Op& moves_op() {
  static const Op op{
      .name = "moves",
      .op_class = OpClass::linear,
      .formula = "elements at other places",
      .apply = [](const Evaluation&) { fail(ErrorKind::internal, "moves", "there is a kernel for float only"); }};
  return op;
}

}  // namespace ascribe::core
