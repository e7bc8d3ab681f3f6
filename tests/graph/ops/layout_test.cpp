#include <gtest/gtest.h>

#include "support/ops.h"

namespace ascribe::core {
namespace {

const Tensor kSix = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});

Attributes slicing(Dims starts, Dims sizes, Dims steps) {
  return {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}, {"steps", std::move(steps)}};
}

TEST(Reshape, KeepsTheOrderOfElements) {
  const Tensor y = apply_op("reshape", {kSix}, {{"shape", ints({3, 2})}});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(values_of(y), values_of(kSix));
}

TEST(Reshape, RowsMayMergeWithAnotherAxis) {
  EXPECT_EQ(infer_op("reshape", {real({kBatch, 6})}, {{"shape", Dims{Dim(0, 2), 3}}}), real({Dim(0, 2), 3}));
}

TEST(Reshape, AxesOfSizeOneComeAndGoEvenWhereTwoAxesGrow) {
  EXPECT_EQ(infer_op("reshape", {real({kBatch, 1, kBatch})}, {{"shape", Dims{kBatch, kBatch, 1}}}),
            real({kBatch, kBatch, 1}));
}

TEST(Reshape, EmptyTensorsMayChangeTheirOtherExtents) {
  EXPECT_EQ(apply_op("reshape", {Tensor(DType::f64, {0, 3})}, {{"shape", ints({7, 0})}}).shape(), (Shape{7, 0}));
}

TEST(Reshape, OtherElementCountsAreRefused) {
  EXPECT_NE(refusal("reshape", {real({2, 3})}, {{"shape", ints({4})}}), "");
  EXPECT_NE(refusal("reshape", {real({kBatch, 3})}, {{"shape", ints({1, 3})}}), "");
  EXPECT_NE(refusal("reshape", {real({2, 3})}, {{"shape", ints({0, 6})}}), "");
  EXPECT_NE(refusal("reshape", {real({2, 3})}, {{"shape", ints({-2, -3})}}), "");
}

TEST(Concat, JoinsAlongAnInnerAxis) {
  const Tensor y = apply_op("concat", {kSix, Tensor::of<double>({2, 1}, {7, 8})}, {{"axis", ints({1})}});
  EXPECT_EQ(y.shape(), (Shape{2, 4}));
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 2, 3, 7, 4, 5, 6, 8}));
}

TEST(Concat, GrowingExtentsAddUp) {
  EXPECT_EQ(infer_op("concat", {real({kBatch, 2}), real({1, 2}), real({kBatch, 2})}, {{"axis", ints({0})}}),
            real({Dim(1, 2), 2}));
}

TEST(Concat, EmptyPartsLeaveNoTrace) {
  const Tensor y = apply_op("concat", {Tensor(DType::f64, {2, 0}), kSix}, {{"axis", ints({1})}});
  EXPECT_EQ(values_of(y), values_of(kSix));
}

TEST(Concat, PartsThatDoNotFitAreRefused) {
  const Attributes axis = {{"axis", ints({1})}};
  EXPECT_NE(refusal("concat", {real({2, 3}), real({3, 3})}, axis), "");
  EXPECT_NE(refusal("concat", {real({2, 3}), real({2})}, axis), "");
  EXPECT_NE(refusal("concat", {real({2, 3}), integer({2, 3})}, axis), "");
  EXPECT_NE(refusal("concat", {real({2}), real({2})}, axis), "");
}

TEST(Slice, TakesSteppedRanges) {
  const Tensor y = apply_op("slice", {kSix}, slicing({1, 0}, {1, 2}, {1, 2}));
  EXPECT_EQ(y.shape(), (Shape{1, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{4, 6}));
}

TEST(Slice, NegativeStepsRunBackwards) {
  EXPECT_EQ(values_of(apply_op("slice", {kSix}, slicing({1, 2}, {2, 3}, {-1, -1}))),
            (std::vector<double>{6, 5, 4, 3, 2, 1}));
}

TEST(Slice, MayDependOnTheBatch) {
  EXPECT_EQ(infer_op("slice", {real({kBatch})}, slicing({1}, {Dim(-1, 1)}, {1})), real({Dim(-1, 1)}));
  EXPECT_EQ(infer_op("slice", {real({kBatch})}, slicing({Dim(-1, 1)}, {kBatch}, {-1})), real({kBatch}));
}

TEST(Slice, NoElementsMayStartAnywhere) {
  EXPECT_EQ(apply_op("slice", {kSix}, slicing({2, 9}, {0, 0}, {1, 1})).shape(), (Shape{0, 0}));
}

TEST(Slice, WhatLeavesTheOperandIsRefused) {
  const std::vector<Type> x = {real({5})};
  EXPECT_EQ(refusal("slice", x, slicing({0}, {5}, {1})), "");
  EXPECT_NE(refusal("slice", x, slicing({0}, {6}, {1})), "");
  EXPECT_NE(refusal("slice", x, slicing({-1}, {2}, {1})), "");
  EXPECT_NE(refusal("slice", x, slicing({5}, {1}, {-1})), "");
  EXPECT_NE(refusal("slice", x, slicing({3}, {5}, {-1})), "");
  EXPECT_NE(refusal("slice", x, slicing({0}, {3}, {3})), "");
  EXPECT_NE(refusal("slice", x, slicing({0}, {-1}, {1})), "");
  EXPECT_NE(refusal("slice", x, slicing({0}, {1}, {0})), "");
  EXPECT_NE(refusal("slice", x, slicing({0}, {1}, {kBatch})), "");
  EXPECT_NE(refusal("slice", x, slicing({0, 0}, {1, 1}, {1, 1})), "");
  EXPECT_NE(refusal("slice", x, slicing({1}, {int64_t{1} << 62}, {8})), "");
  EXPECT_NE(refusal("slice", {real({kBatch})}, slicing({0}, {2}, {1})), "") << "one row has no second";
}

TEST(Expand, RepeatsAlongOldAndNewAxes) {
  const Tensor y = apply_op("expand", {Tensor::of<double>({2, 1}, {1, 2})}, {{"shape", ints({2, 2, 3})}});
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
}

TEST(Expand, ToTheBatchAndToNothing) {
  EXPECT_EQ(infer_op("expand", {real({1, 3})}, {{"shape", Dims{kBatch, 3}}}), real({kBatch, 3}));
  EXPECT_EQ(apply_op("expand", {Tensor(DType::f64, {1})}, {{"shape", ints({0})}}).size(), 0);
}

TEST(Expand, OtherShapesAreRefused) {
  EXPECT_NE(refusal("expand", {real({2, 3})}, {{"shape", ints({2, 1})}}), "");
  EXPECT_NE(refusal("expand", {real({2, 3})}, {{"shape", ints({3})}}), "");
  EXPECT_NE(refusal("expand", {real({3})}, {{"shape", ints({4})}}), "");
  EXPECT_NE(refusal("expand", {real({1})}, {{"shape", ints({-1})}}), "");
}

}  // namespace
}  // namespace ascribe::core
