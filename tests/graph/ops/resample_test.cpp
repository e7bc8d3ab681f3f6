#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

const Attributes kAxis1 = {{"axis", ints({1})}};

TEST(Resample, WeighsItsTapsAlongTheAxis) {
  const Tensor x = Tensor::of<double>({2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
  const Tensor indices = Tensor::of<int64_t>({3, 2}, {0, 0, 0, 1, 1, 1});
  const Tensor weights = Tensor::of<double>({3, 2}, {1, 0, 0.25, 0.75, 0.5, -0.5});
  const Tensor y = apply_op("resample", {x, indices, weights}, kAxis1);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 2, 2.5, 3.5, 0, 0, 10, 20, 25, 35, 0, 0}));
}

TEST(Resample, WithoutTapsIsZero) {
  const Tensor y = apply_op(
      "resample", {Tensor::of<double>({1, 2}, {1, 2}), Tensor(DType::i64, {3, 0}), Tensor(DType::f64, {3, 0})}, kAxis1);
  EXPECT_EQ(values_of(y), (std::vector<double>{0, 0, 0}));
}

TEST(Resample, IndicesOutOfRangeAreErrorsOfTheModel) {
  expect_error(ErrorKind::model, "out of range", [] {
    apply_op("resample", {Tensor(DType::f64, {1, 2}), Tensor::of<int64_t>({1, 1}, {2}), Tensor(DType::f64, {1, 1})},
             kAxis1);
  });
}

TEST(Resample, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(infer_op("resample", {real({kBatch, 4}), integer({6, 2}), real({6, 2})}, kAxis1), real({kBatch, 6}));
  EXPECT_NE(refusal("resample", {real({kBatch, 4}), integer({6, 2}), real({6, 3})}, kAxis1), "");
  EXPECT_NE(refusal("resample", {real({kBatch, 4}), integer({6}), real({6})}, kAxis1), "");
  EXPECT_NE(refusal("resample", {integer({kBatch, 4}), integer({6, 2}), real({6, 2})}, kAxis1), "");
  EXPECT_NE(refusal("resample", {real({kBatch}), integer({6, 2}), real({6, 2})}, kAxis1), "");
}

}  // namespace
}  // namespace ascribe::core
