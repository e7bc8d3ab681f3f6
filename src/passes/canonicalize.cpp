#include "passes/canonicalize.h"

#include <algorithm>
#include <optional>

#include "graph/builder.h"
#include "passes/moved_constants.h"

namespace ascribe::core {

namespace {

// Rebuilds a graph node by node, simplifying what it can on the way.
class Canonicalizer {
 public:
  Canonicalizer(const Graph& from, SharedWeights shared)
      : from_(from), shared_(shared), b_(to_), readers_(from.reader_counts()) {}

  // Whether something came to stand where another round can use it.
  bool again() const { return again_; }

  Graph run() {
    to_.name = from_.name;
    for (size_t i = 0; i < from_.nodes.size(); ++i) map_.push_back(rebuilt({static_cast<int32_t>(i)}));
    for (const Port& port : from_.outputs) b_.output(port.name, map_[port.value.index], port.element_type);
    to_.drop_unread();
    return std::move(to_);
  }

 private:
  Value rebuilt(Value value) {
    const Node& node = from_[value];
    b_.set_where(node.name.empty() ? node.op->name : node.name);
    b_.set_name(node.name);
    if (node.op->name == "input") return rebuilt_input(value);
    if (node.op->name == "constant") return b_.constant(node.constant);
    if (node.op->name == "growing_constant") {
      return b_.integers(node.attributes.dims("values"), node.attributes.integers("shape"));
    }
    if (const auto folded = folded_into_weights(node)) return *folded;
    if (const auto joined = joined_affine(node)) return *joined;
    if (const auto before = before_the_move(node)) return *before;
    if (const auto line = as_relu(node)) return *line;
    std::vector<Value> inputs;
    for (const Value input : node.inputs) inputs.push_back(map_[input.index]);
    return b_.op(node.op->name, std::move(inputs), node.attributes);
  }

  // Constants in a row become one: (x * a + b) * c + d is x * ac + (bc + d).
  std::optional<Value> joined_affine(const Node& node) {
    if (!is_arithmetic(node) || node.type.kind != Kind::real) return std::nullopt;
    for (size_t side = 0; side < (node.op->traits.commutes ? 2U : 1U); ++side) {
      const Value old = node.inputs[side];
      const Value given = map_[node.inputs[1 - side].index];
      if (readers_[old.index] != 1 || !b_.is_constant(given)) continue;
      const auto earlier = affine_of(map_[old.index], node.type.shape);
      if (!earlier) continue;
      const auto& [x, step, value] = *earlier;
      const auto [op, constant] = step_of(node.op->name, given);
      if (step == op) return b_.op(op, {x, b_.op(op, {value, constant})});
      if (op != "mul") continue;
      again_ = again_ || leads_to_layer(old);
      return b_.add(scaled(x, constant, node.type.shape), b_.mul(value, constant));
    }
    return std::nullopt;
  }

  // x - c is x + (-c), x / c is x * (1 / c).
  std::pair<std::string, Value> step_of(const std::string& op, Value constant) {
    if (op == "sub") return {"add", b_.op("neg", {constant})};
    if (op == "div") return {"mul", b_.div(b_.scalar(1), constant)};
    return {op, constant};
  }

  // max(x, 0) is relu(x): the same function, which layers and rules know.
  std::optional<Value> as_relu(const Node& node) {
    if (node.op->name != "maximum" || node.type.kind != Kind::real) return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      const Value x = map_[node.inputs[side].index];
      const auto floor = b_.known(map_[node.inputs[1 - side].index]);
      if (!floor || b_.shape(x) != node.type.shape) continue;
      bool zero = true;
      for (int64_t i = 0; i < floor->size() && zero; ++i) zero = floor->at(i) == 0;
      if (zero) return b_.op("relu", {x});
    }
    return std::nullopt;
  }

  // P(u) + c is P(u + c'), and P(u) c is P(u c'), where P only rearranges numbers and c can be rearranged with them:
  // so a constant gets to the layer that it belongs to. One move in each round.
  std::optional<Value> before_the_move(const Node& node) {
    if (!is_arithmetic(node) || node.type.kind != Kind::real) return std::nullopt;
    for (size_t side = 0; side < (node.op->traits.commutes ? 2U : 1U); ++side) {
      const Value old = node.inputs[side];
      const Value moved = map_[old.index], constant = map_[node.inputs[1 - side].index];
      if (readers_[old.index] != 1 || !b_.is_constant(constant) || node.type.shape != b_.shape(moved)) continue;
      if (!leads_to_layer(old)) continue;
      const Node move = to_[moved];
      const auto earlier = moved_back(b_, move, constant);
      if (!earlier) continue;
      again_ = true;
      const Value inner = b_.op(node.op->name, {move.inputs[0], *earlier});
      b_.set_name(move.name);
      return b_.op(move.op->name, {inner}, move.attributes);
    }
    return std::nullopt;
  }

  static bool is_arithmetic(const Node& node) {
    const std::string& op = node.op->name;
    return op == "mul" || op == "div" || op == "add" || op == "sub";
  }

  // Whether nothing but rearrangements and constants that are added or multiplied lies between a layer and this value.
  bool leads_to_layer(Value value) const {
    while (true) {
      const Node& node = from_[value];
      if (node.op->traits.layer != LayerKind::none) return true;
      const bool one = node.inputs.size() == 1 && traits_of(node).rearranges;
      if (!one && !is_arithmetic(node)) return false;
      const auto is_known = [&](Value v) { return b_.is_constant(map_[v.index]); };
      const auto varying = std::find_if_not(node.inputs.begin(), node.inputs.end(), is_known);
      if (varying == node.inputs.end() || (!one && is_known(node.inputs[0]) == is_known(node.inputs[1]))) return false;
      value = *varying;
      if (readers_[value.index] != 1) return false;
    }
  }

  struct Affine {
    Value x;
    std::string op;
    Value constant;
  };

  // x * constant or x + constant, without broadcasting x; also as x / constant and x - constant.
  std::optional<Affine> affine_of(Value value, const Dims& shape) {
    const Node node = to_[value];
    if (!is_arithmetic(node) || node.type.kind != Kind::real) return std::nullopt;
    for (size_t side = 0; side < (node.op->traits.commutes ? 2U : 1U); ++side) {
      const Value x = node.inputs[side], constant = node.inputs[1 - side];
      if (!b_.is_constant(constant) || b_.shape(x) != shape) continue;
      const auto [op, value_of] = step_of(node.op->name, constant);
      return Affine{x, op, value_of};
    }
    return std::nullopt;
  }

  Value scaled(Value x, Value factor, const Dims& shape) {
    const auto earlier = affine_of(x, shape);
    if (earlier && earlier->op == "mul") return b_.mul(earlier->x, b_.mul(earlier->constant, factor));
    return b_.mul(x, factor);
  }

  Value rebuilt_input(Value value) {
    for (const Port& port : from_.inputs) {
      if (port.value == value) return b_.input(port.name, from_[value].type, port.element_type);
    }
    fail(ErrorKind::internal, from_[value].name, "an input node has no port");
  }

  // mul, div, add or sub of a constant after a linear operation that nobody else reads.
  std::optional<Value> folded_into_weights(const Node& node) {
    const std::string& op = node.op->name;
    if (!is_arithmetic(node)) return std::nullopt;
    for (size_t side = 0; side < (node.op->traits.commutes ? 2U : 1U); ++side) {
      const Value old = node.inputs[side];
      const Value linear = map_[old.index], constant = map_[node.inputs[1 - side].index];
      if (readers_[old.index] != 1 || !b_.is_constant(constant) || b_.kind(constant) != Kind::real) continue;
      if (node.type.shape != b_.shape(linear)) continue;
      if ((op == "mul" || op == "div") && keeps_weights(old)) continue;
      if (to_.is(linear, "conv")) return folded_conv(op, linear, constant);
      if (to_.is(linear, "matmul") && !copies_weight(old, constant)) return folded_matmul(op, linear, constant);
    }
    return std::nullopt;
  }

  // Whether the weights of this product are to be left as they are.
  bool keeps_weights(Value product) const {
    const Node& node = from_[product];
    return shared_ == SharedWeights::keep && node.op->traits.layer != LayerKind::none &&
           readers_[node.inputs[1].index] > 1;
  }

  // One value per channel as [C], from [C, 1, 1], [1, C, 1, 1] or a single value.
  std::optional<Value> per_channel(Value constant, int64_t rank, int64_t channels) {
    const Dims& shape = b_.shape(constant);
    const auto missing = rank - static_cast<int64_t>(shape.size());
    if (missing < 0) return std::nullopt;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const bool channel_axis = static_cast<int64_t>(axis) + missing == 1;
      if (shape[axis] != Dim(1) && !(channel_axis && shape[axis] == Dim(channels))) return std::nullopt;
    }
    return b_.expand(b_.reshape(constant, {product(shape)}), {channels});
  }

  std::optional<Value> folded_conv(const std::string& op, Value linear, Value constant) {
    const Node conv = to_[linear];
    const Dims weight_shape = b_.shape(conv.inputs[1]);
    const int64_t channels = weight_shape[0].fixed;
    const auto value = per_channel(constant, b_.rank(linear), channels);
    if (!value || !b_.is_constant(conv.inputs[1])) return std::nullopt;
    const bool biased = conv.inputs.size() > 2;
    if (biased && !b_.is_constant(conv.inputs[2])) return std::nullopt;
    std::vector<Value> inputs = conv.inputs;
    if (op == "mul" || op == "div") {
      Dims aligned(weight_shape.size(), 1);
      aligned[0] = channels;
      inputs[1] = b_.op(op, {inputs[1], b_.reshape(*value, aligned)});
      if (biased) inputs[2] = b_.op(op, {inputs[2], *value});
    } else if (biased) {
      inputs[2] = b_.op(op, {inputs[2], *value});
    } else {
      inputs.push_back(op == "add" ? *value : b_.op("neg", {*value}));
    }
    b_.set_name(conv.name);
    return b_.op("conv", std::move(inputs), conv.attributes);
  }

  // A single factor is not worth a second copy of a matrix that is read elsewhere, as the gradient's is.
  bool copies_weight(Value old, Value constant) const {
    if (!from_.is(old, "matmul") || product(b_.shape(constant)) != Dim(1)) return false;
    const Value weight = from_[old].inputs[1];
    return from_.is(weight, "constant") && readers_[weight.index] > 1;
  }

  // A factor per column goes into a constant right-hand matrix.
  std::optional<Value> folded_matmul(const std::string& op, Value linear, Value constant) {
    const Node matmul = to_[linear];
    const Value weight = matmul.inputs[1];
    if ((op != "mul" && op != "div") || !b_.is_constant(weight) || b_.rank(weight) != 2) return std::nullopt;
    const bool transposed = matmul.attributes.flag("transpose_b");
    const Dim columns = b_.shape(weight)[transposed ? 0 : 1];
    const Dims& shape = b_.shape(constant);
    const Dim count = product(shape);
    const bool per_column = !shape.empty() && shape.back() == columns && count == columns;
    if (!per_column && count != Dim(1)) return std::nullopt;
    const Value factor = b_.reshape(constant, transposed ? Dims{count, 1} : Dims{1, count});
    b_.set_name(matmul.name);
    return b_.op("matmul", {matmul.inputs[0], b_.op(op, {weight, factor})}, matmul.attributes);
  }

  const Graph& from_;
  SharedWeights shared_;
  Graph to_;
  Builder b_;
  std::vector<int> readers_;
  std::vector<Value> map_;
  bool again_ = false;
};

}  // namespace

Graph canonicalize(const Graph& graph, SharedWeights shared) {
  constexpr int kRounds = 16;  // a constant goes back over so many moves; a file may have any number
  Canonicalizer first(graph, shared);
  Graph result = first.run();
  bool again = first.again();
  for (int i = 1; i < kRounds && again; ++i) {
    Canonicalizer next(result, shared);
    Graph better = next.run();
    again = next.again();
    result = std::move(better);
  }
  return result;
}

}  // namespace ascribe::core
