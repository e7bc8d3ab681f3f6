#include "methods/layers.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ascribe::core {

namespace {

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

Value resized_picture(Builder& b, Value picture, const std::vector<int64_t>& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    picture = resampled(b, picture, static_cast<int64_t>(i) + 2, sizes[i]);
  }
  return picture;
}

Value picture_over_input(Builder& b, const Graph& model, Value input, Value picture, Channels channels) {
  const View view = view_of(model, input, b.shape(picture).size());
  Dims shape = model[view.image].type.shape;
  shape[0] = b.shape(picture)[0];
  std::vector<int64_t> sizes;
  for (size_t axis = 2; axis < shape.size(); ++axis) sizes.push_back(shape[axis].fixed);
  picture = resized_picture(b, picture, sizes);
  if (channels == Channels::share) picture = b.mul(picture, 1 / static_cast<double>(shape[1].fixed));
  picture = b.expand(picture, shape);
  for (auto move = view.moves.rbegin(); move != view.moves.rend(); ++move) {
    picture = moved_back(b, model[*move], model[model[*move].inputs[0]].type.shape, picture);
  }
  return picture;
}

}  // namespace ascribe::core
