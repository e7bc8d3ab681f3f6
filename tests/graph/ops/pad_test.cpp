#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes padding(Dims before, Dims after, const std::string& mode, double value = 0) {
  return {{"before", std::move(before)}, {"after", std::move(after)}, {"mode", mode}, {"value", reals({value})}};
}

std::vector<double> padded(const std::string& mode, int64_t before, int64_t after, std::vector<double> x) {
  const Tensor operand = Tensor::of<double>({std::ssize(x)}, x);
  return values_of(apply_op("pad", {operand}, padding({before}, {after}, mode, 9)));
}

TEST(Pad, ConstantSurroundsAMatrix) {
  const Tensor y = apply_op("pad", {Tensor::of<double>({2, 2}, {1, 2, 3, 4})}, padding({1, 0}, {0, 1}, "constant", -1));
  EXPECT_EQ(y.shape(), (Shape{3, 3}));
  EXPECT_EQ(values_of(y), (std::vector<double>{-1, -1, -1, 1, 2, -1, 3, 4, -1}));
}

TEST(Pad, ModesContinueTheOperandTheirWay) {
  EXPECT_EQ(padded("edge", 2, 1, {1, 2, 3}), (std::vector<double>{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded("reflect", 2, 2, {1, 2, 3}), (std::vector<double>{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(padded("wrap", 2, 1, {1, 2, 3}), (std::vector<double>{2, 3, 1, 2, 3, 1}));
}

TEST(Pad, ReflectionsAndPeriodsRepeat) {
  EXPECT_EQ(padded("reflect", 5, 0, {1, 2, 3}), (std::vector<double>{2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(padded("reflect", 1, 2, {7}), (std::vector<double>{7, 7, 7, 7}));
  EXPECT_EQ(padded("wrap", 3, 0, {1, 2}), (std::vector<double>{2, 1, 2, 1, 2}));
}

TEST(Pad, AnEmptyOperandIsFilledByTheConstant) { EXPECT_EQ(padded("constant", 1, 1, {}), (std::vector<double>{9, 9})); }

TEST(Pad, IntegersAndScalarsWork) {
  const Tensor y = apply_op("pad", {Tensor::of<int64_t>({1}, {5})}, padding({0}, {1}, "constant", 7));
  EXPECT_EQ(values_of(y), (std::vector<double>{5, 7}));
  EXPECT_EQ(apply_op("pad", {Tensor::scalar(3.0)}, padding({}, {}, "edge")).at(0), 3);
}

TEST(Pad, TheBatchAxisMayGrow) {
  EXPECT_EQ(infer_op("pad", {real({kBatch, 3})}, padding({1, 0}, {0, 2}, "constant")), real({Dim(1, 1), 5}));
}

TEST(Pad, WhatCannotBePaddedIsRefused) {
  EXPECT_NE(refusal("pad", {real({3})}, padding({-1}, {0}, "constant")), "");
  EXPECT_NE(refusal("pad", {real({3})}, padding({Dim(-2, 1)}, {0}, "constant")), "");
  EXPECT_NE(refusal("pad", {real({3})}, padding({0, 0}, {0, 0}, "constant")), "");
  EXPECT_NE(refusal("pad", {real({3})}, padding({0}, {0}, "mirror")), "");
  EXPECT_NE(refusal("pad", {real({0})}, padding({1}, {0}, "edge")), "");
  EXPECT_NE(refusal("pad", {integer({3})}, padding({1}, {0}, "constant", 0.5)), "");
  EXPECT_NE(refusal("pad", {integer({3})}, padding({1}, {0}, "constant", NAN)), "");
  EXPECT_NE(refusal("pad", {real({3})}, padding({INT64_MAX}, {1}, "constant")), "");
}

}  // namespace
}  // namespace ascribe::core
