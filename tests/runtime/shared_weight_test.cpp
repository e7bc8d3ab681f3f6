// One weight read by a convolution and by its transpose, as a gradient does.
#include <gtest/gtest.h>

#include "runtime/session.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

TEST(SharedWeight, AConvolutionAndItsTransposePackItEachTheirWay) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 8, 6, 6})), w = b.constant(random_tensor({8, 8, 3, 3}, 1));
  Attributes attributes = {
      {"strides", ints({1, 1})}, {"pads", ints({1, 1, 1, 1})}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
  b.output("y", b.op("conv", {x, w}, attributes));
  attributes.set("output_padding", ints({0, 0}));
  b.output("t", b.op("conv_transpose", {x, w}, attributes));
  const Tensor rows = random_tensor({2, 8, 6, 6}, 2);
  const auto expected = interpret(graph, {{"x", rows}}, 2);
  Session session(graph, {.real = DType::f32});
  const auto outputs = session.run(std::vector<Tensor>{rows.cast(DType::f32)});
  for (size_t i = 0; i < 2; ++i) expect_near(outputs[i].cast(DType::f64), expected[i], 1e-4);
}

}  // namespace
}  // namespace ascribe::core
