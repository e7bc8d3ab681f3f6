#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

const Tensor kSix = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
const Attributes kAxis0 = {{"axis", ints({0})}}, kAxis1 = {{"axis", ints({1})}};

TEST(Gather, TakesWholeSlicesAndCountsFromTheEnd) {
  const Tensor y = apply_op("gather", {kSix, Tensor::of<int64_t>({2, 2}, {2, 0, -1, -3})}, kAxis1);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{3, 1, 3, 1, 6, 4, 6, 4}));
}

TEST(Gather, AScalarIndexDropsTheAxis) {
  const Tensor y = apply_op("gather", {kSix, Tensor::scalar<int64_t>(1)}, kAxis0);
  EXPECT_EQ(y.shape(), (Shape{3}));
  EXPECT_EQ(values_of(y), (std::vector<double>{4, 5, 6}));
}

TEST(Gather, IndicesOutOfRangeAreErrorsOfTheModel) {
  for (const int64_t index : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN}) {
    expect_error(ErrorKind::model, "out of range", [&] {
      apply_op("gather", {kSix, Tensor::of<int64_t>({1}, {index})}, kAxis1);
    });
  }
}

TEST(Gather, FromNothingOnlyNothing) {
  const Tensor nothing(DType::f64, {0, 3});
  EXPECT_EQ(apply_op("gather", {nothing, Tensor(DType::i64, {0})}, kAxis0).shape(), (Shape{0, 3}));
  expect_error(ErrorKind::model, "out of range", [&] {
    apply_op("gather", {nothing, Tensor(DType::i64, {1})}, kAxis0);
  });
}

TEST(Gather, WrongKindsAndAxesAreRefused) {
  EXPECT_EQ(infer_op("gather", {real({kBatch, 5}), integer({kBatch})}, kAxis1), real({kBatch, kBatch}));
  EXPECT_NE(refusal("gather", {real({2, 3}), real({1})}, kAxis0), "");
  EXPECT_NE(refusal("gather", {real({2}), integer({1})}, kAxis1), "");
  EXPECT_NE(refusal("gather", {real({2}), integer({1})}, {{"axis", ints({-1})}}), "");
}

TEST(GatherElements, EachElementNamesItsSource) {
  const Tensor y = apply_op("gather_elements", {kSix, Tensor::of<int64_t>({2, 2}, {2, -3, 1, 1})}, kAxis1);
  EXPECT_EQ(values_of(y), (std::vector<double>{3, 1, 5, 5}));
  const Tensor z = apply_op("gather_elements", {kSix, Tensor::of<int64_t>({1, 3}, {1, 0, 1})}, kAxis0);
  EXPECT_EQ(values_of(z), (std::vector<double>{4, 2, 6}));
}

TEST(GatherElements, IndicesThatDoNotFitAreRefused) {
  EXPECT_NE(refusal("gather_elements", {real({2, 3}), integer({3, 3})}, kAxis1), "");
  EXPECT_NE(refusal("gather_elements", {real({2, 3}), integer({2})}, kAxis1), "");
  EXPECT_NE(refusal("gather_elements", {real({kBatch, 3}), integer({2, 3})}, kAxis1), "") << "one row has no second";
  EXPECT_EQ(refusal("gather_elements", {real({kBatch, 3}), integer({kBatch, 7})}, kAxis1), "");
  expect_error(ErrorKind::model, "out of range", [&] {
    apply_op("gather_elements", {kSix, Tensor::of<int64_t>({1, 1}, {3})}, kAxis1);
  });
}

TEST(GatherNd, TuplesNameElementsOrSlices) {
  const Attributes plain = {{"batch_dims", ints({0})}};
  EXPECT_EQ(values_of(apply_op("gather_nd", {kSix, Tensor::of<int64_t>({2, 2}, {0, 1, -1, -1})}, plain)),
            (std::vector<double>{2, 6}));
  const Tensor rows = apply_op("gather_nd", {kSix, Tensor::of<int64_t>({2, 1}, {1, 0})}, plain);
  EXPECT_EQ(rows.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(rows), (std::vector<double>{4, 5, 6, 1, 2, 3}));
}

TEST(GatherNd, BatchAxesAreWalkedTogether) {
  const Tensor y =
      apply_op("gather_nd", {kSix, Tensor::of<int64_t>({2, 2, 1}, {0, 2, 1, 0})}, {{"batch_dims", ints({1})}});
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 3, 5, 4}));
}

TEST(GatherNd, TuplesThatDoNotFitAreRefused) {
  const auto refused = [](Dims indices, int64_t batch_dims) {
    return !refusal("gather_nd", {real({kBatch, 3}), integer(std::move(indices))}, {{"batch_dims", ints({batch_dims})}})
                .empty();
  };
  EXPECT_FALSE(refused({kBatch, 1}, 1));
  EXPECT_TRUE(refused({kBatch, 2}, 1)) << "longer than the axes left";
  EXPECT_TRUE(refused({4, 3}, 0)) << "longer than the rank";
  EXPECT_TRUE(refused({4, 0}, 0)) << "empty tuples";
  EXPECT_TRUE(refused({4, kBatch}, 0)) << "a tuple that grows";
  EXPECT_TRUE(refused({}, 0)) << "no tuples";
  EXPECT_TRUE(refused({4, 1}, 1)) << "other rows";
  EXPECT_TRUE(refused({kBatch, 1}, 2)) << "too many batch axes";
  EXPECT_TRUE(refused({kBatch, 1}, -1)) << "negative batch axes";
  expect_error(ErrorKind::model, "out of range", [] {
    apply_op("gather_nd", {kSix, Tensor::of<int64_t>({1, 2}, {0, 3})}, {{"batch_dims", ints({0})}});
  });
}

}  // namespace
}  // namespace ascribe::core
