#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// y = 2 relu(x0) - 3 relu(x1): the gradient of the second rectifier is negative and stops there.
TEST(GuidedBackprop, OnlyPositiveGradientsPassARectifier) {
  Graph graph;
  Builder b(graph);
  const Value y = b.op("relu", {b.input("x", real({kBatch, 3}))});
  b.output("y", b.matmul(y, b.constant(Tensor::of<double>({3, 1}, {2, -3, 4}))));
  ExplainOptions options;
  options.real = DType::f64;
  ExplainedModel model(graph, options);
  Question question{{Tensor::of<double>({1, 3}, {1, 1, -1})}, 0, Tensor(DType::f64, {1, 3}), {}};
  question.players.owner = {0, 1, 2};
  question.players.names = {"a", "b", "c"};
  const Method& method = method_named("guided_backprop");
  const auto a = attribute(method, model, std::span(&question, 1), Parameters(method.name, method.parameters));
  EXPECT_EQ(a[0].values, (std::vector<double>{2, 0, 0}));
}

}  // namespace
}  // namespace ascribe::core
