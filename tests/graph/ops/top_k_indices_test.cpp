#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes top(Dim k, int64_t axis, bool largest) {
  return {{"axis", ints({axis})}, {"k", Dims{k}}, {"largest", ints({largest})}, {"sorted", ints({1})}};
}

TEST(TopKIndices, BestFirstAndOfEqualsTheLowerIndex) {
  const Tensor x = Tensor::of<double>({5}, {2, 7, 2, 7, 1});
  EXPECT_EQ(values_of(apply_op("top_k_indices", {x}, top(3, 0, true))), (std::vector<double>{1, 3, 0}));
  EXPECT_EQ(values_of(apply_op("top_k_indices", {x}, top(3, 0, false))), (std::vector<double>{4, 0, 2}));
}

TEST(TopKIndices, WorksAlongAnyAxis) {
  const Tensor x = Tensor::of<int64_t>({2, 3, 2}, {1, 6, 2, 5, 3, 4, 9, 1, 8, 2, 7, 3});
  const Tensor y = apply_op("top_k_indices", {x}, top(2, 1, true));
  EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{2, 0, 1, 1, 0, 2, 1, 1}));
}

TEST(TopKIndices, NanIsTheLargest) {
  const Tensor x = Tensor::of<double>({4}, {1, NAN, 3, NAN});
  EXPECT_EQ(values_of(apply_op("top_k_indices", {x}, top(4, 0, true))), (std::vector<double>{1, 3, 2, 0}));
  EXPECT_EQ(values_of(apply_op("top_k_indices", {x}, top(4, 0, false))), (std::vector<double>{0, 2, 1, 3}));
}

TEST(TopKIndices, KMustFitTheAxis) {
  EXPECT_EQ(infer_op("top_k_indices", {real({kBatch, 4})}, top(2, 1, true)), integer({kBatch, 2}));
  EXPECT_EQ(infer_op("top_k_indices", {real({kBatch})}, top(kBatch, 0, true)), integer({kBatch}));
  EXPECT_EQ(apply_op("top_k_indices", {Tensor(DType::f64, {4})}, top(0, 0, true)).size(), 0);
  EXPECT_NE(refusal("top_k_indices", {real({4})}, top(5, 0, true)), "");
  EXPECT_NE(refusal("top_k_indices", {real({4})}, top(-1, 0, true)), "");
  EXPECT_NE(refusal("top_k_indices", {real({4})}, top(kBatch, 0, true)), "");
  EXPECT_NE(refusal("top_k_indices", {real({4})}, top(1, 1, true)), "");
}

}  // namespace
}  // namespace ascribe::core
