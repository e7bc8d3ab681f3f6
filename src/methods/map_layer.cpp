// Which layer of a network a map is taken from (layers.h).
#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "methods/layers.h"

namespace ascribe::core::map_layers {
namespace {

constexpr int64_t kLayersOfASmallNetwork = 4;  // behind its only convolution

size_t place(Value value) { return static_cast<size_t>(value.index); }
Value value_at(size_t i) { return Value{static_cast<int32_t>(i)}; }

// Which nodes depend on those marked.
std::vector<bool> reached_from(const Graph& model, std::vector<bool> marked) {
  for (size_t i = 0; i < marked.size(); ++i) {
    for (const Value input : model.nodes[i].inputs) marked[i] = marked[i] || marked[place(input)];
  }
  return marked;
}

std::vector<bool> reached_by_inputs(const Graph& model) {
  std::vector<bool> inputs(model.nodes.size(), false);
  for (const Port& port : model.inputs) inputs[place(port.value)] = true;
  return reached_from(model, std::move(inputs));
}

// Channels at more than one position.
bool is_map(const Node& node) {
  if (node.type.kind != Kind::real || node.type.shape.size() < 3 || node.op->op_class == OpClass::source) return false;
  const Dims positions(node.type.shape.begin() + 2, node.type.shape.end());
  return all_fixed(positions) && node.type.shape[1].is_fixed() && product(positions).fixed > 1;
}

std::vector<std::string> names_of_maps(const Graph& model, const std::vector<bool>& moves) {
  std::vector<std::string> names;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    const bool fresh = std::find(names.begin(), names.end(), node.name) == names.end();
    if (moves[i] && is_map(node) && !node.name.empty() && fresh) names.push_back(node.name);
  }
  return names;
}

// The last map that the condition holds for.
template <class Condition>
std::optional<Value> last_map(const Graph& model, const std::vector<bool>& moves, Condition&& condition) {
  for (size_t i = model.nodes.size(); i-- > 0;) {
    if (moves[i] && is_map(model.nodes[i]) && condition(model.nodes[i])) return value_at(i);
  }
  return std::nullopt;
}

size_t moving_operands(const Node& node, const std::vector<bool>& moves) {
  return static_cast<size_t>(
      std::count_if(node.inputs.begin(), node.inputs.end(), [&](Value input) { return moves[place(input)]; }));
}

// Whether a node bends what moves through it; a product bends where both of its factors move.
bool bends(const Node& node, const std::vector<bool>& moves) {
  switch (node.op->op_class) {
    case OpClass::elementwise:
    case OpClass::selection:
    case OpClass::composite:
    case OpClass::opaque: return moving_operands(node, moves) > 0;
    case OpClass::bilinear: return moving_operands(node, moves) > 1;
    default: return false;
  }
}

// ---- behind the activation ----

// Channels over the same positions.
bool same_positions(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (size_t axis = 0; axis < a.size(); ++axis) {
    if (axis != 1 && a[axis] != b[axis]) return false;
  }
  return true;
}

bool joins_channels(const Node& node) { return node.op->name == "concat" && node.attributes.integer("axis") == 1; }

// Where everything that was made of a map, place by place, comes together again.
struct Joint {
  Value value;
  bool bent = false;    // through an activation
  bool joined = false;  // with another branch of the network
};

// The next value that all paths from `from` pass, if what lies between works place by place.
std::optional<Joint> next_joint(const Graph& model, const std::vector<bool>& moves,
                                const std::vector<size_t>& last_reader, Value from) {
  std::vector<bool> made(model.nodes.size(), false);
  made[place(from)] = true;
  size_t furthest = last_reader[place(from)];
  Joint joint;
  for (size_t i = place(from) + 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    const size_t own = moving_operands(node, made);
    if (own == 0) continue;
    const bool in_place = traits_of(node).pointwise || joins_channels(node);
    if (!in_place || !same_positions(node.type.shape, model[from].type.shape)) return std::nullopt;
    made[i] = true;
    joint.bent = joint.bent || bends(node, made);
    joint.joined = joint.joined || moving_operands(node, moves) > own;
    if (furthest <= i) {
      joint.value = value_at(i);
      return joint;
    }
    furthest = std::max(furthest, last_reader[i]);
  }
  return std::nullopt;
}

// For every value the last node that reads it; outputs are read at the end.
std::vector<size_t> last_readers(const Graph& model) {
  std::vector<size_t> last(model.nodes.size(), 0);
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    for (const Value input : model.nodes[i].inputs) last[place(input)] = i;
  }
  for (const Port& port : model.outputs) last[place(port.value)] = model.nodes.size();
  return last;
}

// The last value behind the convolution that an activation or another branch has made; the convolution itself if there
// is none.
Value behind_activation(const Graph& model, const std::vector<bool>& moves, Value convolution) {
  const std::vector<size_t> last = last_readers(model);
  Value found = convolution, here = convolution;
  while (const auto joint = next_joint(model, moves, last, here)) {
    here = joint->value;
    if ((joint->bent || joint->joined) && is_map(model[here])) found = here;
  }
  return found;
}

// ---- patches ----

// A first layer with which the input is cut into patches: nothing before it bends, and behind it there is attention (a
// product of two things that it moves) or more layers than a small network has.
bool only_cuts_patches(const Graph& model, const std::vector<bool>& moves, Value convolution) {
  std::vector<bool> before(model.nodes.size(), false), own(model.nodes.size(), false);
  own[place(convolution)] = true;
  own = reached_from(model, std::move(own));
  before[place(convolution)] = true;
  for (size_t i = place(convolution) + 1; i-- > 0;) {
    if (!before[i]) continue;
    for (const Value input : model.nodes[i].inputs) before[place(input)] = true;
    if (i != place(convolution) && moves[i] && bends(model.nodes[i], moves)) return false;
  }
  int64_t layers = 0;
  for (size_t i = place(convolution) + 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (!own[i] || traits_of(node).layer == LayerKind::none) continue;
    if (moving_operands(node, own) > 1) return true;
    ++layers;
  }
  return layers > kLayersOfASmallNetwork;
}

// ---- words ----

std::string sizes_text(const Node& node) {
  std::vector<std::string> sizes;
  for (size_t axis = 2; axis < node.type.shape.size(); ++axis) sizes.push_back(to_string(node.type.shape[axis]));
  return fmt::format("{}", fmt::join(sizes, " x "));
}

std::string name_of(const Node& node) {
  return node.name.empty() ? fmt::format("an unnamed {}", node.op->name) : fmt::format("'{}'", node.name);
}

MapLayer described(const Graph& model, Value map, std::string behind) {
  const Node& node = model[map];
  const std::string name = node.name.empty() ? fmt::format("unnamed {}", node.op->name) : node.name;
  return {map, name, fmt::format("{} ({}, {}){}", name_of(node), node.op->name, sizes_text(node), behind)};
}

[[noreturn]] void refuse_patches(const Node& convolution, std::string_view where) {
  fail(ErrorKind::unsupported, where,
       "the last convolution, {}, only cuts the input into patches, as in a vision transformer: its map is made before "
       "the network has looked at anything; `layer` takes it all the same, by its name, and methods that value pixels "
       "themselves (integrated_gradients) need no layer",
       name_of(convolution));
}

MapLayer default_layer(const Graph& model, const std::vector<bool>& moves, std::string_view where) {
  const auto convolution = last_map(model, moves, [](const Node& node) { return node.op->name == "conv"; });
  if (!convolution) {
    fail(ErrorKind::unsupported, where,
         "the model has no convolution whose output has positions; expected a network for images");
  }
  if (only_cuts_patches(model, moves, *convolution)) refuse_patches(model[*convolution], where);
  const Value map = behind_activation(model, moves, *convolution);
  if (map == *convolution) return described(model, map, ", the last convolution; no activation follows it");
  return described(model, map, fmt::format(", behind the last convolution {}", name_of(model[*convolution])));
}

}  // namespace
}  // namespace ascribe::core::map_layers

namespace ascribe::core {

std::vector<std::string> map_layer_names(const Graph& model) {
  return map_layers::names_of_maps(model, map_layers::reached_by_inputs(model));
}

MapLayer map_layer(const Graph& model, const std::string& name, std::string_view where) {
  using namespace map_layers;
  const std::vector<bool> moves = reached_by_inputs(model);
  if (name.empty()) return default_layer(model, moves, where);
  const auto found = last_map(model, moves, [&](const Node& node) { return node.name == name; });
  if (found) return described(model, *found, "");
  const std::vector<std::string> names = names_of_maps(model, moves);
  if (names.empty())
    fail(ErrorKind::unsupported, where, "the model has no layer with channels and positions; got layer = '{}'", name);
  fail(ErrorKind::argument, where, "there is no layer '{}' with channels and positions; {}", name,
       expected_one_of(name, names));
}

}  // namespace ascribe::core
