#include "runtime/kernels/phased_transpose.h"

#include <gtest/gtest.h>

#include "runtime/kernels/constants.h"
#include "runtime/session.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

struct Case {
  int64_t in = 32, out = 3, height = 6, width = 9;
  std::vector<int64_t> kernel = {7, 7}, strides = {2, 2}, pads = {3, 3, 3, 3}, output_padding = {1, 1};
  bool bias = true;
};

Graph network(const Case& c) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, c.in, c.height, c.width}));
  std::vector<Value> inputs = {x, b.constant(random_tensor({c.in, c.out, c.kernel[0], c.kernel[1]}, 1, 0.1))};
  if (c.bias) inputs.push_back(b.constant(random_tensor({c.out}, 2)));
  b.output("y", b.op("conv_transpose", inputs,
                     {{"strides", ints(c.strides)},
                      {"pads", ints(c.pads)},
                      {"dilations", ints({1, 1})},
                      {"group", ints({1})},
                      {"output_padding", ints(c.output_padding)}}));
  return graph;
}

bool is_taken(const Case& c) {
  Graph graph = network(c);
  const Value y = graph.outputs[0].value;
  const Node node = graph[y];
  std::vector<Operand> inputs;
  for (const Value input : node.inputs) {
    inputs.push_back({input, DType::f32, at(graph[input].type.shape, 1), nullptr, graph.is(input, "constant")});
  }
  const Operand output{y, DType::f32, at(node.type.shape, 1), nullptr, false};
  Workspace workspace(size_t{1} << 30);
  ConstantStore constants(graph, DType::f32, workspace);
  return make_phased_transpose({*node.op, node.attributes, inputs, output, {}, constants}) != nullptr;
}

void expect_right(const Case& c) {
  const Graph graph = network(c);
  const Tensor x = random_tensor({3, c.in, c.height, c.width}, 5);
  Session session(graph);
  const Tensor fast = session.run(std::vector{x.cast(DType::f32)})[0];
  // At most 64 * 16 products of order 0.1 in float.
  expect_near(fast.cast(DType::f64), interpret(graph, {{"x", x}}, 3)[0], 2e-5);
}

TEST(PhasedTranspose, FirstLayersOfNetworks) {
  const std::vector<Case> cases = {
      {},                                                                                       // ResNet
      {.bias = false},                                                                          //
      {.kernel = {3, 3}, .pads = {1, 1, 1, 1}},                                                 // MobileNet
      {.kernel = {3, 3}, .pads = {0, 0, 1, 1}, .output_padding = {0, 0}},                       // as TensorFlow pads
      {.kernel = {4, 4}, .strides = {4, 4}, .pads = {0, 0, 0, 0}, .output_padding = {0, 0}},    // ConvNeXt
      {.kernel = {11, 11}, .strides = {4, 4}, .pads = {2, 2, 2, 2}, .output_padding = {0, 0}},  // AlexNet
      {.in = 64, .out = 1, .kernel = {5, 3}, .strides = {3, 2}, .pads = {1, 0, 2, 1}, .output_padding = {2, 0}},
      {.in = 16, .out = 4, .height = 1, .width = 1},
  };
  for (const Case& c : cases) {
    expect_right(c);
    EXPECT_TRUE(is_taken(c)) << c.kernel[0] << " " << c.strides[0];
  }
}

TEST(PhasedTranspose, IsNotTakenWhereItDoesNotPay) {
  EXPECT_FALSE(is_taken({.in = 8}));
  EXPECT_FALSE(is_taken({.out = 16}));
  EXPECT_FALSE(is_taken({.kernel = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}, .output_padding = {0, 0}}));
}

}  // namespace
}  // namespace ascribe::core
