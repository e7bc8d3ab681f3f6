#include "methods/layers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/ranges.h>

namespace ascribe::core {

namespace {

// Which nodes the inputs reach.
std::vector<bool> moving(const Graph& model) {
  std::vector<bool> moves(model.nodes.size(), false);
  for (const Port& port : model.inputs) moves[static_cast<size_t>(port.value.index)] = true;
  for (size_t i = 0; i < moves.size(); ++i) {
    for (const Value input : model.nodes[i].inputs) moves[i] = moves[i] || moves[static_cast<size_t>(input.index)];
  }
  return moves;
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
    if (moves[i] && is_map(model.nodes[i]) && condition(model.nodes[i])) return Value{static_cast<int32_t>(i)};
  }
  return std::nullopt;
}

// ---- from a map to the input ----

// What moves the numbers of an input to where the network first sees channels and positions.
struct View {
  std::vector<Value> moves;  // reshapes and transposes, in the model
  Value image;               // behind them
};

std::optional<Value> only_reader(const Graph& model, Value value) {
  std::optional<Value> reader;
  for (size_t i = static_cast<size_t>(value.index) + 1; i < model.nodes.size(); ++i) {
    const auto& inputs = model.nodes[i].inputs;
    if (std::find(inputs.begin(), inputs.end(), value) == inputs.end()) continue;
    if (reader) return std::nullopt;
    reader = Value{static_cast<int32_t>(i)};
  }
  return reader;
}

// The last point of the chain behind the input that has as many axes as the map; what keeps the shape is passed over.
View view_of(const Graph& model, Value input, size_t rank) {
  View found, here{{}, input};
  for (std::optional<Value> next = input; next; next = only_reader(model, *next)) {
    const Node& node = model[*next];
    const bool moves = node.op->name == "reshape" || node.op->name == "transpose";
    if (*next != input && !moves && node.type.shape != model[here.image].type.shape) break;
    if (moves) here.moves.push_back(*next);
    here.image = *next;
    if (node.type.shape.size() == rank) found = here;
  }
  if (found.image.valid()) return found;
  fail(ErrorKind::unsupported, model[input].name,
       "the input does not have the axes of the layer's map; got shape {}; expected {} axes",
       to_string(model[input].type.shape), rank);
}

// Along one axis: the two nearest positions and their weights, for each of `size` positions.
Value resampled(Builder& b, Value x, int64_t axis, int64_t size) {
  const int64_t from = b.shape(x)[static_cast<size_t>(axis)].fixed;
  if (from == size) return x;
  std::vector<int64_t> indices;
  std::vector<double> weights;
  for (int64_t at = 0; at < size; ++at) {
    const double position =
        (static_cast<double>(at) + 0.5) * static_cast<double>(from) / static_cast<double>(size) - 0.5;
    const double left = std::floor(position);
    for (const double tap : {left, left + 1}) {
      indices.push_back(static_cast<int64_t>(std::clamp(tap, 0.0, static_cast<double>(from - 1))));
      weights.push_back(1 - std::abs(position - tap));
    }
  }
  const Shape shape = {size, 2};
  return b.op("resample",
              {x, b.constant(Tensor::of<int64_t>(shape, indices)), b.constant(Tensor::of<double>(shape, weights))},
              {{"axis", ints({axis})}});
}

// Undoes a reshape or transpose, for a value with the same rows.
Value moved_back(Builder& b, const Node& move, const Dims& before, Value x) {
  if (move.op->name == "reshape") {
    Dims shape = before;
    shape[0] = b.shape(x)[0];
    return b.reshape(x, shape);
  }
  const auto perm = move.attributes.integers("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return b.transpose(x, inverse);
}

}  // namespace

Value map_layer(const Graph& model, const std::string& name, std::string_view where) {
  const std::vector<bool> moves = moving(model);
  if (name.empty()) {
    const auto found = last_map(model, moves, [](const Node& node) { return node.op->name == "conv"; });
    if (found) return *found;
    fail(ErrorKind::unsupported, where,
         "the model has no convolution whose output has positions; expected a network for images");
  }
  const auto found = last_map(model, moves, [&](const Node& node) { return node.name == name; });
  if (found) return *found;
  const std::vector<std::string> names = names_of_maps(model, moves);
  if (names.empty())
    fail(ErrorKind::unsupported, where, "the model has no layer with channels and positions; got layer = '{}'", name);
  fail(ErrorKind::argument, where, "there is no layer '{}' with channels and positions; expected one of {}", name,
       fmt::join(names, ", "));
}

Value picture_over_input(Builder& b, const Graph& model, Value input, Value picture, Channels channels) {
  const View view = view_of(model, input, b.shape(picture).size());
  Dims shape = model[view.image].type.shape;
  shape[0] = b.shape(picture)[0];
  for (size_t axis = 2; axis < shape.size(); ++axis) {
    picture = resampled(b, picture, static_cast<int64_t>(axis), shape[axis].fixed);
  }
  if (channels == Channels::share) picture = b.mul(picture, 1 / static_cast<double>(shape[1].fixed));
  picture = b.expand(picture, shape);
  for (auto move = view.moves.rbegin(); move != view.moves.rend(); ++move) {
    picture = moved_back(b, model[*move], model[model[*move].inputs[0]].type.shape, picture);
  }
  return picture;
}

}  // namespace ascribe::core
