#include <functional>

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

size_t reader_of(const Graph& graph, size_t node) {
  const auto reads = [&](const Node& other) {
    return std::find(other.inputs.begin(), other.inputs.end(), Value{static_cast<int32_t>(node)}) != other.inputs.end();
  };
  size_t reader = node;
  while (!reads(graph.nodes[reader])) ++reader;
  return reader;
}

// Differences of step 1e-5 are good for about 1e-9.
TEST(GradCam, IsWhatTheSlowLoopGives) {
  for (const bool smooth : {false, true}) {
    const Graph graph = small_cnn(smooth);
    for (const std::string layer : {"", "conv1", "conv2"}) {
      const std::string name = layer.empty() ? "conv2" : layer;
      size_t node = 0;
      while (graph.nodes[node].name != name || graph.nodes[node].op->name != "conv") ++node;
      if (layer.empty()) node = reader_of(graph, node);  // the activation
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

// ---- which layer ----

// The node that the default took, by what it says.
std::string layer_of(const Graph& graph) {
  const Attribution a = ask(kName, graph, ask_about(random_tensor({1, 1, 4, 4}, 5)));
  EXPECT_EQ(a.layers.size(), 1U);
  EXPECT_NE(a.notes.at(0).find("the map shows layer '" + a.layers.at(0) + "'"), std::string::npos) << a.notes[0];
  return a.layers.at(0);
}

// `behind` makes of a convolution of two channels what a global mean and a dense layer read.
Graph network_behind(const std::function<Value(SmallNetwork&, Value)>& behind) {
  Graph graph;
  SmallNetwork net(graph);
  const Value made = behind(net, net.conv(net.image(), 1, 2, 3, 1, 1, "conv"));
  const int64_t channels = net.b.shape(made)[1].fixed;
  net.b.set_name("mean");
  net.b.output("y", net.dense(net.b.reduce("reduce_mean", made, {2, 3}, false), channels, 3));
  return graph;
}

Value named(SmallNetwork& net, const std::string& name, std::string_view op, std::vector<Value> inputs,
            Attributes attributes = {}) {
  net.b.set_name(name);
  const Value value = net.b.op(op, std::move(inputs), std::move(attributes));
  net.b.set_name("");
  return value;
}

TEST(GradCam, TakesTheLastConvolutionBehindItsActivation) {
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork&, Value x) { return x; })), "conv");
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) { return named(net, "relu", "relu", {x}); })),
            "relu");
  // A normalization before it, one behind it, a pooling behind it.
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) {
              const Value normal = named(net, "norm", "mul", {x, net.weight({2, 1, 1})});
              return named(net, "again", "mul", {named(net, "bent", "tanh", {normal}), net.weight({2, 1, 1})});
            })),
            "bent");
  // x sigmoid(x), as exporters write it.
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) {
              return named(net, "swish", "mul", {x, named(net, "gate", "sigmoid", {x})});
            })),
            "swish");
}

TEST(GradCam, TakesWhatBranchesHaveMade) {
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) {
              const Value inner = net.conv(net.relu(x), 2, 2, 1, 1, 0, "inner");
              return named(net, "block", "relu", {named(net, "sum", "add", {inner, x})});
            })),
            "block");
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) {
              const Value one = net.relu(net.conv(x, 2, 2, 1, 1, 0, "one"));
              const Value two = net.relu(net.conv(x, 2, 3, 3, 1, 1, "two"));
              return named(net, "both", "concat", {one, two}, {{"axis", ints({1})}});
            })),
            "both");
}

// What is looked at elsewhere too (here a gate made of the whole map) is not followed.
TEST(GradCam, StopsWherePlacesMix) {
  EXPECT_EQ(layer_of(network_behind([](SmallNetwork& net, Value x) {
              const Value bent = named(net, "bent", "relu", {x});
              const Value gate = net.b.op("sigmoid", {net.b.reduce("reduce_mean", bent, {2, 3}, true)});
              return named(net, "gated", "mul", {bent, gate});
            })),
            "bent");
}

TEST(GradCam, SaysThatAMapIsZero) {
  const Tensor positive = Tensor::of<double>({1, 1, 2, 2}, {1, 2, 3, 0.5});
  const Attribution a = ask(kName, two_map_network(1), ask_about(positive));
  EXPECT_EQ(a.values, std::vector<double>(4, 0.0));
  EXPECT_NE(a.notes.back().find("zero everywhere"), std::string::npos);
  const Attribution other = ask(kName, two_map_network(1), ask_about(kImage));
  for (const std::string& note : other.notes) EXPECT_EQ(note.find("zero everywhere"), std::string::npos);
}

TEST(GradCam, DoesNotTakePatchesForALayerThatSaw) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5));
  for (const char* method : {"grad_cam", "guided_grad_cam"}) {
    expect_error(ErrorKind::unsupported, "the last convolution, 'patches', only cuts the input into patches",
                 [&] { ask(method, small_vit(), question); });
    EXPECT_EQ(ask(method, small_vit(), question, {{"layer", "patches"}}).layers, (std::vector<std::string>{"patches"}));
  }
}

// With up to four layers behind its only convolution a network is small, and what it sees is what there is to show.
TEST(GradCam, TakesTheOnlyConvolutionOfASmallNetwork) {
  for (const uint64_t layers : {1, 4, 5}) {
    Graph graph;
    Builder b(graph);
    const Value image = b.input("x", {Kind::real, {kBatch, 1, 4, 4}});
    const Value bias = b.constant(Tensor(DType::f64, {2}));
    const Value cut = b.op("conv", {image, b.constant(random_tensor({2, 1, 2, 2}, 3)), bias}, convolution(2));
    Value hidden = b.reshape(cut, {kBatch, 8});
    for (uint64_t i = 1; i < layers; ++i) {
      hidden = b.op("relu", {b.matmul(hidden, b.constant(random_tensor({8, 8}, 10 + i)))});
    }
    b.output("y", b.matmul(hidden, b.constant(random_tensor({8, 1}, 20))));
    const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5));
    if (layers <= 4) EXPECT_EQ(ask(kName, graph, question).layers.size(), 1U) << layers;
    else expect_error(ErrorKind::unsupported, "only cuts the input into patches", [&] { ask(kName, graph, question); });
  }
}

// ---- several layers ----

// m = ReLU(sum over k of ReLU(df/dA^k) A^k) over its maximum, by differences; `sharpened`: tanh(2 m).
std::vector<double> slow_layer_cam(const Graph& graph, const Tensor& x, int64_t target, const std::string& name,
                                   bool sharpened) {
  size_t node = 0;
  while (graph.nodes[node].name != name || graph.nodes[node].op->name != "conv") ++node;
  const Tensor layer = interpret_nodes(graph, {{graph.inputs[0].name, x}}, 1)[node];
  const auto slopes =
      slow_gradient([&](const Tensor& held) { return slow_value(graph, x, target, node, held); }, layer);
  const size_t channels = static_cast<size_t>(layer.shape()[1]), positions = slopes.size() / channels;
  std::vector<double> map(positions, 0.0);
  for (size_t i = 0; i < slopes.size(); ++i) {
    map[i % positions] += std::max(0.0, slopes[i]) * layer.at(static_cast<int64_t>(i));
  }
  for (double& m : map) m = std::max(0.0, m);
  const double largest = *std::max_element(map.begin(), map.end());
  for (double& m : map) m = sharpened ? std::tanh(2 * m / largest) : m / largest;
  return map;
}

// Two maps of 4 x 4: the larger at each place. One that is coarser is spread over the finer one first.
TEST(GradCam, CombinesSeveralLayersAsLayerCamDoes) {
  const Tensor x = random_tensor({1, 1, 4, 4}, 8);
  const Graph graph = small_resnet();
  const Attribution a = ask(kName, graph, ask_about(x, {}, 2), {{"layers", "a2, stem"}});
  EXPECT_EQ(a.layers, (std::vector<std::string>{"stem", "a2"}));
  const auto first = slow_layer_cam(graph, x, 2, "stem", true), last = slow_layer_cam(graph, x, 2, "a2", false);
  for (size_t i = 0; i < 16; ++i) EXPECT_NEAR(a.values[i], std::max(first[i], last[i]), 1e-7) << i;
  const Attribution alone = ask(kName, graph, ask_about(x, {}, 2), {{"layers", "a2"}});
  expect_values(alone.values, last, 1e-7);
  const Attribution sizes = ask(kName, graph, ask_about(x, {}, 2), {{"layers", "a2,b2"}});
  EXPECT_EQ(sizes.layer_map->shape(), (Shape{4, 4}));
  EXPECT_NEAR(*std::max_element(sizes.values.begin(), sizes.values.end()), 1, 1e-12);
}

TEST(GradCam, SeveralLayersCompileAndRefuseWhatDoesNotGoWithThem) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  for (const char* method : {"grad_cam", "guided_grad_cam"}) {
    const Settings settings = {{"layers", "stem,a1,b2"}};
    expect_values(values_of(ask_compiled(method, small_resnet(), question, settings)),
                  ask(method, small_resnet(), question, settings).values, 1e-14);
  }
  expect_values(values_of(ask_compiled(kName, small_resnet(), question)), ask(kName, small_resnet(), question).values,
                1e-14);
  for (const Settings& settings :
       {Settings{{"layers", "a1"}, {"relu", "false"}}, {{"layers", "a1"}, {"layer", "b1"}}}) {
    expect_error(ErrorKind::argument, "neither with `layer` nor",
                 [&] { ask(kName, small_resnet(), question, settings); });
  }
  expect_error(ErrorKind::argument, "there is no layer 'a9'", [&] {
    ask(kName, small_resnet(), question, {{"layers", "a1,a9"}});
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
