#include "passes/modules.h"

#include <algorithm>
#include <array>

#include "passes/differentiable.h"

namespace ascribe::core {

namespace {

bool is_moved_value(const std::vector<bool>& moved, Value value) { return moved[static_cast<size_t>(value.index)]; }

// The operand that the inputs move; nothing if there are none or several.
std::optional<size_t> only_moved(const Graph& graph, const Node& node, const std::vector<bool>& moved) {
  std::optional<size_t> found;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!is_moved_value(moved, node.inputs[i]) || !carries_derivative(graph, node, i)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// Which values the target needs.
std::vector<bool> leading_to(const Graph& model, Value target) {
  std::vector<bool> leads(model.nodes.size(), false);
  leads[static_cast<size_t>(target.index)] = true;
  for (auto i = static_cast<size_t>(target.index) + 1; i-- > 0;) {
    if (!leads[i]) continue;
    for (const Value input : model.nodes[i].inputs) leads[static_cast<size_t>(input.index)] = true;
  }
  return leads;
}

// The addition of something that the inputs do not move, if it alone reads the value.
Value with_bias(const Graph& model, Value linear, const std::vector<bool>& moved, const std::vector<int>& readers) {
  if (readers[static_cast<size_t>(linear.index)] != 1) return linear;
  for (auto i = static_cast<size_t>(linear.index) + 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (std::find(node.inputs.begin(), node.inputs.end(), linear) == node.inputs.end()) continue;
    const bool adds = node.op->name == "add" || (node.op->name == "sub" && node.inputs[0] == linear);
    const bool fits = adds && only_moved(model, node, moved) && node.type.shape == model[linear].type.shape;
    return fits ? Value{static_cast<int32_t>(i)} : linear;
  }
  return linear;
}

// The other factor of a product that sums; -1: there are no weights.
int weight_of(const Op& op, size_t operand) {
  if (op.op_class != OpClass::bilinear || op.traits.pointwise) return -1;
  const auto [left, right] = op.factors;
  const int own = static_cast<int>(operand);
  if (own != left && own != right) return -1;
  return own == left ? right : left;
}

}  // namespace

std::string_view to_string(LayerKind kind) {
  if (kind == LayerKind::none) return "none";
  return kind == LayerKind::conv ? "conv" : "dense";
}

std::vector<bool> moved_by(const Graph& model, std::span<const Value> sources) {
  std::vector<bool> moved(model.nodes.size(), false);
  for (const Value source : sources) moved[static_cast<size_t>(source.index)] = true;
  for (size_t i = 0; i < moved.size(); ++i) {
    const Node& node = model.nodes[i];
    for (size_t operand = 0; operand < node.inputs.size() && !moved[i]; ++operand) {
      moved[i] = is_moved_value(moved, node.inputs[operand]) && carries_derivative(model, node, operand);
    }
  }
  return moved;
}

std::vector<Layer> find_layers(const Graph& model, const std::vector<bool>& moved, Value target) {
  const std::vector<int> readers = model.reader_counts();
  const std::vector<bool> leads = leading_to(model, target);
  std::vector<Layer> layers;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    const LayerKind kind = node.op->traits.layer;
    if (!leads[i] || !moved[i] || kind == LayerKind::none) continue;
    const auto operand = only_moved(model, node, moved);
    if (!operand || (kind == LayerKind::conv && *operand != 0)) continue;
    const Value linear{static_cast<int32_t>(i)};
    const bool biased = node.inputs.size() > 2;
    const Value sum = biased ? linear : with_bias(model, linear, moved, readers);
    layers.push_back({linear, sum, *operand, kind, node.name});
  }
  return layers;
}

bool commutes_with(const Node& node, const Node& activation) {
  if (activation.inputs.size() != 1) return false;
  const std::string& op = node.op->name;
  if (op == "max_pool" || op == "reduce_max" || op == "reduce_min") return traits_of(activation).rises;
  return traits_of(node).moves && node.op->op_class != OpClass::selection;
}

Value part_of(Builder& b, Value x, Part part) {
  switch (part) {
    case Part::all: return x;
    case Part::positive: return b.op("relu", {x});
    case Part::negative: return b.op("minimum", {x, b.scalar(0)});
    case Part::squared: return b.mul(x, x);
    case Part::ones: break;
  }
  const Dims shape = b.shape(x);
  return b.expand(b.scalar(1), shape);
}

Value summed_to(Builder& b, Value value, Dims shape) {
  if (b.shape(value) == shape) return value;
  std::vector<int64_t> leading, kept;
  for (int64_t axis = 0; axis < b.rank(value) - std::ssize(shape); ++axis) leading.push_back(axis);
  if (!leading.empty()) value = b.reduce("reduce_sum", value, leading, false);
  for (int64_t axis = 0; axis < b.rank(value); ++axis) {
    if (shape[axis] == Dim(1) && b.shape(value)[axis] != Dim(1)) kept.push_back(axis);
  }
  if (!kept.empty()) value = b.reduce("reduce_sum", value, kept, true);
  return b.shape(value) == shape ? value : b.expand(value, shape);
}

LinearMap::LinearMap(Builder& builder, Value self, size_t operand)
    : b_(builder), self_(self), node_(builder.graph()[self]), operand_(operand) {
  weight_ = weight_of(*node_.op, operand);
}

std::vector<Value> LinearMap::operands(Value x, Part part) const {
  std::vector<Value> inputs = node_.inputs;
  inputs[operand_] = x;
  if (!weighted()) return inputs;
  Value& weight = inputs[static_cast<size_t>(weight_)];
  const auto [known, fresh] = parts_.try_emplace(part);
  if (fresh) known->second = part_of(b_, weight, part);
  weight = known->second;
  return inputs;
}

Value LinearMap::forward(Value x, Part part) const {
  if (!weighted() && part == Part::negative) return {};
  std::vector<Value> inputs = operands(x, part);
  const auto [left, right] = node_.op->factors;
  if (weighted()) inputs.resize(static_cast<size_t>(std::max(left, right)) + 1);  // without the bias
  return b_.op(node_.op->name, std::move(inputs), node_.attributes);
}

Value LinearMap::backward(Value s, Part part) const {
  if (!weighted() && part == Part::negative) return {};
  const std::vector<Value> inputs = operands(x(), part);
  const Value share = node_.op->adjoint({b_, inputs, self_, node_.attributes, operand_}, s);
  return summed_to(b_, share, b_.shape(x()));
}

bool never_negative(const Graph& graph, Value value, int depth) {
  const Node& node = graph[value];
  if (depth == 0 || node.type.kind != Kind::real) return false;
  if (graph.is(value, "constant")) return node.constant.size() == 1 && node.constant.at(0) >= 0;
  const Sign sign = traits_of(node).sign;
  if (sign != Sign::kept) return sign == Sign::never_negative;
  if (graph.is(value, "mul") && node.inputs[0] == node.inputs[1]) return true;
  std::vector<Value> reals;  // from the last on: weights tell soonest
  std::copy_if(node.inputs.rbegin(), node.inputs.rend(), std::back_inserter(reals),
               [&](Value operand) { return graph[operand].type.kind == Kind::real; });
  const auto is_fine = [&](Value operand) { return never_negative(graph, operand, depth - 1); };
  if (graph.is(value, "maximum")) return std::any_of(reals.begin(), reals.end(), is_fine);
  return !reals.empty() && std::all_of(reals.begin(), reals.end(), is_fine);
}

}  // namespace ascribe::core
