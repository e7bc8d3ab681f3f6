// Small networks of the usual kinds, each from images [N, 1, 4, 4] to three numbers, with random weights.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"
#include "support/ops.h"

namespace ascribe::core {

// Draws weights of a fixed size relative to what enters a neuron, so that signals keep theirs from layer to layer.
class SmallNetwork {
 public:
  explicit SmallNetwork(Graph& graph, uint64_t seed = 1) : b(graph), seed_(seed) {}

  Value image() { return b.input("x", {Kind::real, {kBatch, 1, 4, 4}}); }
  Value weight(const Shape& shape, double scale = 1) { return b.constant(random_tensor(shape, ++seed_, scale)); }

  Value conv(Value x, int64_t from, int64_t to, int64_t size, int64_t stride, int64_t pad, const std::string& name) {
    b.set_name(name);
    const double scale = 1.2 / std::sqrt(static_cast<double>(from * size * size));
    const Value out = b.op("conv", {x, weight({to, from, size, size}, scale), weight({to}, 0.3)},
                           {{"strides", ints({stride, stride})},
                            {"pads", ints({pad, pad, pad, pad})},
                            {"dilations", ints({1, 1})},
                            {"group", ints({1})}});
    b.set_name("");
    return out;
  }
  Value dense(Value x, int64_t from, int64_t to) {
    // Drawn one after the other, so that all compilers draw the same.
    const Value bias = weight({to}, 0.3);
    const Value matrix = weight({from, to}, 1.2 / std::sqrt(static_cast<double>(from)));
    return b.add(b.matmul(x, matrix), bias);
  }
  Value relu(Value x) { return b.op("relu", {x}); }
  Value layer_norm(Value x, int64_t features) {
    const Value standard = b.op("normalize", {x}, {{"axes", ints({b.rank(x) - 1})}, {"epsilon", reals({1e-5})}});
    const Value shift = weight({features}, 0.3);
    return b.add(b.mul(standard, weight({features})), shift);
  }

  Builder b;

 private:
  uint64_t seed_;
};

inline Graph small_mlp(const std::string& activation = "relu", uint64_t seed = 1) {
  Graph graph;
  SmallNetwork net(graph, seed);
  const Value flat = net.b.reshape(net.image(), {kBatch, 16});
  const Value first = net.b.op(activation, {net.dense(flat, 16, 8)});
  net.b.output("y", net.dense(net.b.op(activation, {net.dense(first, 8, 6)}), 6, 3));
  return graph;
}

// What lies behind an image-shaped value: convolution, max-pooling, convolution, global mean, dense.
inline Value small_cnn_body(SmallNetwork& net, Value image, bool smooth = false) {
  const std::string activation = smooth ? "tanh" : "relu";
  Value x = net.b.op(activation, {net.conv(image, 1, 3, 3, 1, 1, "conv1")});
  if (!smooth) {
    x = net.b.op("max_pool", {x},
                 {{"kernel", ints({2, 2})},
                  {"strides", ints({1, 1})},
                  {"pads", ints({0, 0, 0, 0})},
                  {"dilations", ints({1, 1})},
                  {"ceil_mode", ints({0})}});
  }
  x = net.b.op(activation, {net.conv(x, 3, 4, 2, 1, 0, "conv2")});
  return net.dense(net.b.reduce("reduce_mean", x, {2, 3}, false), 4, 3);
}

inline Graph small_cnn(bool smooth = false, uint64_t seed = 1) {
  Graph graph;
  SmallNetwork net(graph, seed);
  net.b.output("y", small_cnn_body(net, net.image(), smooth));
  return graph;
}

// Two residual blocks, one of them with a projection.
inline Graph small_resnet() {
  Graph graph;
  SmallNetwork net(graph);
  const Value stem = net.relu(net.conv(net.image(), 1, 3, 3, 1, 1, "stem"));
  const Value inner = net.conv(net.relu(net.conv(stem, 3, 3, 3, 1, 1, "a1")), 3, 3, 3, 1, 1, "a2");
  const Value first = net.relu(net.b.add(inner, stem));
  const Value narrow = net.conv(net.relu(net.conv(first, 3, 4, 3, 2, 1, "b1")), 4, 4, 3, 1, 1, "b2");
  const Value second = net.relu(net.b.add(narrow, net.conv(first, 3, 4, 1, 2, 0, "shortcut")));
  net.b.output("y", net.dense(net.b.reduce("reduce_mean", second, {2, 3}, false), 4, 3));
  return graph;
}

// One block of a vision transformer: four tokens of 2 x 2 pixels, one head.
inline Graph small_vit() {
  Graph graph;
  SmallNetwork net(graph);
  Builder& b = net.b;
  constexpr int64_t kWidth = 6;
  const Value patches = b.reshape(net.conv(net.image(), 1, kWidth, 2, 2, 0, "patches"), {kBatch, kWidth, 4});
  const Value tokens = b.add(b.transpose(patches, {0, 2, 1}), net.weight({1, 4, kWidth}, 0.5));
  const Value seen = net.layer_norm(tokens, kWidth);
  const Value query = net.dense(seen, kWidth, kWidth), key = net.dense(seen, kWidth, kWidth);
  const Value scores = b.mul(b.matmul(query, key, false, true), 1 / std::sqrt(static_cast<double>(kWidth)));
  const Value mixed = b.matmul(b.op("softmax", {scores}, {{"axis", ints({2})}}), net.dense(seen, kWidth, kWidth));
  const Value attended = b.add(tokens, net.dense(mixed, kWidth, kWidth));
  const Value hidden =
      b.op("gelu", {net.dense(net.layer_norm(attended, kWidth), kWidth, 8)}, {{"approximate", std::string("none")}});
  const Value out = b.add(attended, net.dense(hidden, 8, kWidth));
  b.output("y", net.dense(b.reduce("reduce_mean", out, {1}, false), kWidth, 3));
  return graph;
}

}  // namespace ascribe::core
