#include <gtest/gtest.h>

#include "support/ask.h"
#include "support/errors.h"
#include "support/slow_methods.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

const std::string kName = "grad_cam";

Attributes convolution(int64_t stride) {
  return {{"strides", ints({stride, stride})},
          {"pads", ints({0, 0, 0, 0})},
          {"dilations", ints({1, 1})},
          {"group", ints({1})}};
}

// Two maps of a 1 x 1 convolution, x and -2 x at every `stride`-th pixel, and f = 3 mean(A^0) + 5 mean(A^1).
Value two_maps(Builder& b, Value image, int64_t stride) {
  b.set_name("maps");
  const Value maps = b.op(
      "conv", {image, b.constant(Tensor::of<double>({2, 1, 1, 1}, {1.0, -2.0})), b.constant(Tensor(DType::f64, {2}))},
      convolution(stride));
  b.set_name("head");
  const Value means = b.reduce("reduce_mean", maps, {2, 3}, false);
  return b.matmul(means, b.constant(Tensor::of<double>({2, 1}, {3.0, 5.0})));
}

Graph two_map_network(int64_t stride) {
  Graph graph;
  Builder b(graph);
  b.output("y", two_maps(b, b.input("x", {Kind::real, {kBatch, 1, 2, 2}}), stride));
  return graph;
}

const Tensor kImage = Tensor::of<double>({1, 1, 2, 2}, {1, -2, 3, 0.5});

// df/dA = (3, 5) / 4 everywhere, so that m = 3/4 x - 10/4 x = -7/4 x.
TEST(GradCam, WeighsMapsByTheirMeanSlope) {
  const Attribution a = ask(kName, two_map_network(1), ask_about(kImage));
  ASSERT_TRUE(a.layer_map.has_value());
  EXPECT_EQ(a.layer_map->shape(), (Shape{2, 2}));
  const std::vector<double> map = {-1.75, 3.5, -5.25, -0.875};
  expect_values(values_of(*a.layer_map), map, 1e-15);
  expect_values(a.values, {0, 3.5, 0, 0}, 1e-15);
  expect_values(ask(kName, two_map_network(1), ask_about(kImage), {{"relu", "false"}}).values, map, 1e-15);
}

// From [4, 8] to four pixels whose centres are at -1/4, 1/4, 3/4 and 5/4 of the map's.
TEST(GradCam, InterpolatesBetweenTheCentresOfPixels) {
  Graph graph;
  Builder b(graph);
  const Value image = b.input("x", {Kind::real, {kBatch, 3, 1, 4}});
  b.set_name("conv");
  const Value map =
      b.op("conv",
           {image, b.constant(Tensor::of<double>({1, 3, 1, 1}, {1.0, 0.0, 0.0})), b.constant(Tensor(DType::f64, {1}))},
           convolution(2));
  b.output("y", b.reduce("reduce_sum", b.reshape(map, {kBatch, 2}), {1}, true));
  const Tensor x = Tensor::of<double>({1, 3, 1, 4}, {4, 9, 8, 9, 1, 1, 1, 1, 2, 2, 2, 2});
  const Attribution a = ask(kName, graph, ask_about(x));
  const std::vector<double> pixels = {4, 5, 7, 8};
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(a.values[i], pixels[i % 4] / 3, 1e-15) << "a third for each channel";
}

// Differences of step 1e-5 are good for about 1e-9.
TEST(GradCam, IsWhatTheSlowLoopGives) {
  for (const bool smooth : {false, true}) {
    const Graph graph = small_cnn(smooth);
    for (const std::string layer : {"", "conv1", "conv2"}) {
      const std::string name = layer.empty() ? "conv2" : layer;
      size_t node = 0;
      while (graph.nodes[node].name != name || graph.nodes[node].op->name != "conv") ++node;
      const Tensor x = random_tensor({1, 1, 4, 4}, 8);
      const Attribution a = ask(kName, graph, ask_about(x, {}, 2), {{"layer", layer}});
      expect_values(values_of(*a.layer_map), slow_cam_map(graph, x, 2, node), 1e-8);
      if (name == "conv1") {
        for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(a.elements.at(i), std::max(0.0, a.layer_map->at(i)));
      }
    }
  }
}

TEST(GradCam, FollowsTheReshapesAndTransposesOfTheInput) {
  const Attribution plain = ask(kName, two_map_network(1), ask_about(kImage));
  Graph flat;
  Builder b(flat);
  b.output("y", two_maps(b, b.reshape(b.input("x", {Kind::real, {kBatch, 4}}), {kBatch, 1, 2, 2}), 1));
  EXPECT_EQ(ask(kName, flat, ask_about(kImage.reshaped({1, 4}))).values, plain.values);
  Graph last;
  Builder c(last);
  const Value shifted = c.add(c.input("x", {Kind::real, {kBatch, 2, 2, 1}}), 0.0);
  c.output("y", two_maps(c, c.transpose(shifted, {0, 3, 1, 2}), 1));
  const Attribution channels_last = ask(kName, last, ask_about(kImage.reshaped({1, 2, 2, 1})));
  EXPECT_EQ(channels_last.values, plain.values);
  EXPECT_EQ(channels_last.elements.shape(), (Shape{2, 2, 1}));
}

TEST(GradCam, WorksOnSeries) {
  Graph graph;
  Builder b(graph);
  const Value series = b.input("x", {Kind::real, {kBatch, 1, 4}});
  const Value map =
      b.op("conv", {series, b.constant(Tensor::of<double>({1, 1, 2}, {1.0, 1.0})), b.constant(Tensor(DType::f64, {1}))},
           {{"strides", ints({2})}, {"pads", ints({0, 0})}, {"dilations", ints({1})}, {"group", ints({1})}});
  b.output("y", b.reduce("reduce_sum", b.reshape(map, {kBatch, 2}), {1}, true));
  const Attribution a = ask(kName, graph, ask_about(Tensor::of<double>({1, 1, 4}, {1, 3, 5, 3})));
  expect_values(a.values, {4, 5, 7, 8}, 1e-15);
}

TEST(GradCam, TheCompiledGraphIsTheSame) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  for (const std::string layer : {"stem", "a1", "b2"}) {
    const Settings settings = {{"layer", layer}};
    expect_values(values_of(ask_compiled(kName, small_resnet(), question, settings)),
                  ask(kName, small_resnet(), question, settings).values, 1e-14);
  }
}

TEST(GradCam, ListsTheLayersThatThereAre) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5));
  expect_error(ErrorKind::argument,
               "there is no layer 'conv9' with channels and positions; expected one of conv1, conv2", [&] {
                 ask(kName, small_cnn(), question, {{"layer", "conv9"}});
               });
}

TEST(GradCam, NeedsAConvolution) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5));
  expect_error(ErrorKind::unsupported, "the model has no convolution", [&] { ask(kName, small_mlp(), question); });
}

// f = 3 mean(x) - 10 mean(x) has the slope -7/4 everywhere, and there is no rectifier to guide.
TEST(GuidedGradCam, IsTheProductOfBoth) {
  const Attribution a = ask("guided_grad_cam", two_map_network(1), ask_about(kImage));
  expect_values(a.values, {0, -1.75 * 3.5, 0, 0}, 1e-15);
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  const Attribution map = ask(kName, small_resnet(), question), fine = ask("guided_backprop", small_resnet(), question);
  const Attribution both = ask("guided_grad_cam", small_resnet(), question);
  for (size_t i = 0; i < 16; ++i) EXPECT_NEAR(both.values[i], map.values[i] * fine.values[i], 1e-14);
  EXPECT_EQ(values_of(*both.layer_map), values_of(*map.layer_map));
}

}  // namespace
}  // namespace ascribe::core
