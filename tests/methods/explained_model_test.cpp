#include "methods/explained_model.h"

#include <gtest/gtest.h>

#include "support/ops.h"

namespace ascribe::core {
namespace {

TEST(ExplainedModel, TellsThatAFinalSoftmaxIsSteppedOver) {
  Graph graph;
  Builder b(graph);
  const Value logits = b.matmul(b.input("x", real({kBatch, 2})), b.constant(Tensor::of<double>({2, 2}, {1, 2, 3, 4})));
  b.output("p", b.op("softmax", {logits}, {{"axis", ints({1})}}));
  ExplainOptions options;
  options.real = DType::f64;
  ExplainedModel model(graph, options);
  ASSERT_EQ(model.notes().size(), 1U);
  EXPECT_NE(model.notes()[0].find("softmax of 'p' is stepped over"), std::string::npos);
  const std::vector<int64_t> target = {1};
  EXPECT_EQ(model.values(std::vector{Tensor::of<double>({1, 2}, {1, 1})}, target), std::vector<double>{6});
}

}  // namespace
}  // namespace ascribe::core
