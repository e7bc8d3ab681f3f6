#include "passes/append_copy.h"

#include <array>

#include <gtest/gtest.h>

#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Shapes that grow with the rows in attributes: merged axes, an expand, a slice.
Graph model() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 3}});
  const Value merged = b.reshape(x, {Dim(0, 2), 3});
  const Value mixed = b.matmul(merged, b.constant(random_tensor({3, 3}, 1)));
  const Value wide = b.expand(b.constant(random_tensor({1, 3}, 2)), {Dim(0, 2), 3});
  b.output("y", b.reshape(b.op("tanh", {b.add(mixed, wide)}), {kBatch, 6}));
  return graph;
}

TEST(AppendCopy, TheModelAtSeveralRowsPerRow) {
  const Graph original = model();
  Graph graph = original;
  graph.outputs.clear();
  Builder b(graph);
  const Value x = graph.inputs[0].value;
  const Value repeated = repeat_rows(b, x, 3);
  const Value output = original.outputs[0].value;
  const Placed copy = append_copy(b, original, std::array{repeated}, std::array{output}, 3);
  b.output("copy", copy(output));
  b.output("mean", mean_of_rows(b, copy(output), 3));
  const Tensor rows = random_tensor({2, 2, 3}, 5);
  const auto outputs = interpret(graph, {{"x", rows}}, 2);
  const Tensor once = interpret(original, {{"x", rows}}, 2)[0];
  ASSERT_EQ(outputs[0].shape(), (Shape{6, 6}));
  for (int64_t r = 0; r < 6; ++r) {
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(outputs[0].at(r * 6 + i), once.at(r / 3 * 6 + i));
  }
  expect_near(outputs[1], once, 1e-15);  // the mean of three equal numbers
}

TEST(AppendCopy, SharesTheConstants) {
  const Graph original = model();
  Graph graph = original;
  Builder b(graph);
  const Value output = original.outputs[0].value;
  append_copy(b, original, std::array{graph.inputs[0].value}, std::array{output});
  const auto is_constant = [](const Node& node) { return node.op->name == "constant"; };
  EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(), is_constant),
            std::count_if(original.nodes.begin(), original.nodes.end(), is_constant));
}

}  // namespace
}  // namespace ascribe::core
