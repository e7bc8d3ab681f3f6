#include "graph/dim.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core {
namespace {

constexpr int64_t kMax = INT64_MAX, kMin = INT64_MIN;

TEST(Dim, AddsSubtractsAndMultiplies) {
  EXPECT_EQ(Dim(2, 3) + Dim(5, -1), Dim(7, 2));
  EXPECT_EQ(Dim(2, 3) - Dim(5, 1), Dim(-3, 2));
  EXPECT_EQ(Dim(2, 3) * Dim(4), Dim(8, 12));
  EXPECT_EQ(Dim(4) * Dim(2, 3), Dim(8, 12));
  EXPECT_EQ(Dim(kMin) - Dim(kMin), Dim(0));
}

TEST(Dim, TheSquareOfTheBatchIsUnsupported) {
  expect_error(ErrorKind::unsupported, "square of the batch", [] { kBatch* kBatch; });
}

TEST(Dim, OverflowIsRefused) {
  expect_error(ErrorKind::model, "overflows", [] { Dim(kMax) + Dim(1); });
  expect_error(ErrorKind::model, "overflows", [] { Dim(kMin) - Dim(1); });
  expect_error(ErrorKind::model, "overflows", [] { Dim(0) - Dim(kMin); });
  expect_error(ErrorKind::model, "overflows", [] { Dim(kMax) * Dim(2); });
  expect_error(ErrorKind::model, "overflows", [] { Dim(0, kMax) * Dim(2); });
  expect_error(ErrorKind::model, "overflows", [] { Dim(0, kMax).at(2); });
  expect_error(ErrorKind::model, "overflows", [] { product({kMax, 2}); });
}

TEST(Dim, IsAPlainNumberForOneBatch) {
  EXPECT_EQ(Dim(2, 3).at(5), 17);
  EXPECT_EQ(at({kBatch, 3, Dim(1, 2)}, 4), (Shape{4, 3, 9}));
  EXPECT_EQ(to_dims({2, 3}), (Dims{2, 3}));
}

TEST(Dim, ProductsOfNothingAndOfZero) {
  EXPECT_EQ(product({}), Dim(1));
  EXPECT_EQ(product({kBatch, 3, 4}), Dim(0, 12));
  EXPECT_EQ(product({kBatch, 0, kBatch}), Dim(0)) << "no square where there is nothing";
}

TEST(Dim, QuotientsThatAreDimensionsAgain) {
  EXPECT_EQ(divide(Dim(0, 12), kBatch, "test"), Dim(12));
  EXPECT_EQ(divide(Dim(0, 12), 4, "test"), Dim(0, 3));
  EXPECT_EQ(divide(Dim(6, 12), Dim(1, 2), "test"), Dim(6));
  EXPECT_EQ(divide(Dim(0), kBatch, "test"), Dim(0));
  EXPECT_EQ(divide(0, 5, "test"), Dim(0));
}

TEST(Dim, OtherQuotientsAreRefused) {
  for (const auto& [a, b] : std::vector<std::pair<Dim, Dim>>{
           {kBatch, 2}, {7, 2}, {Dim(1, 2), 2}, {Dim(1, 12), kBatch}, {6, kBatch}, {6, 0}, {kBatch, 0}}) {
    const auto error = error_of([&, x = a, y = b] { divide(x, y, "node 'reshape'"); });
    ASSERT_TRUE(error.has_value()) << to_string(a) << " / " << to_string(b);
    EXPECT_EQ(error->kind(), ErrorKind::model);
  }
}

TEST(Dim, TheSmallestNumberDividedByMinusOneIsRefused) {
  expect_error(ErrorKind::model, "", [] { divide(kMin, -1, "test"); });
  expect_error(ErrorKind::model, "", [] { divide(Dim(0, kMin), Dim(0, -1), "test"); });
}

TEST(Dim, AtLeastHoldsForEveryBatchOrNotAtAll) {
  EXPECT_TRUE(at_least(kBatch, 1));
  EXPECT_FALSE(at_least(kBatch, 2)) << "one row";
  EXPECT_FALSE(at_least(2, kBatch)) << "three rows";
  EXPECT_TRUE(at_least(Dim(-1, 1), 0));
  EXPECT_TRUE(at_least(Dim(0, 2), Dim(1, 1)));
  EXPECT_TRUE(at_least(3, 3));
}

TEST(Dim, ReadsLikeAFormula) {
  EXPECT_EQ(to_string(Dim(3)), "3");
  EXPECT_EQ(to_string(kBatch), "N");
  EXPECT_EQ(to_string(Dim(-1, 12)), "12N-1");
  EXPECT_EQ(to_string(Dims{Dim(1, 1), 3}), "[N+1, 3]");
  EXPECT_EQ(to_string(Dims{}), "[]");
}

}  // namespace
}  // namespace ascribe::core
