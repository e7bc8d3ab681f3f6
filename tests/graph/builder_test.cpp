#include "graph/builder.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

TEST(Builder, AddOfConstantsIsFolded) {
  Graph graph;
  Builder b(graph);
  const Value sum = b.add(b.scalar(1.5), b.constant(Tensor::of<float>({2}, {1.0F, 2.0F})));
  ASSERT_TRUE(b.is_constant(sum));
  EXPECT_EQ(b.known(sum)->at(0), 2.5);
  EXPECT_EQ(b.known(sum)->at(1), 3.5);
}

TEST(Builder, IntegersThatGrowWithTheBatchAreFolded) {
  Graph graph;
  Builder b(graph);
  const Value rows = b.integers({kBatch, 3});
  const Value sum = b.add(rows, b.integer(2));
  ASSERT_TRUE(b.known_integers(sum).has_value());
  EXPECT_EQ(*b.known_integers(sum), (Dims{Dim(2, 1), 5}));
}

TEST(Builder, IntegersBeyondTheReachOfDoublesAreFoldedExactly) {
  Graph graph;
  Builder b(graph);
  const Value ends = b.concat({b.integers({kBatch}), b.integers({INT64_MAX, INT64_MIN, INT64_MAX - 1})}, 0);
  ASSERT_TRUE(b.known_integers(ends).has_value());
  EXPECT_EQ(*b.known_integers(ends), (Dims{kBatch, INT64_MAX, INT64_MIN, INT64_MAX - 1}));
}

TEST(Builder, OperandsThatDoNotBroadcastAreRefusedNamingThePlace) {
  Graph graph;
  Builder b(graph);
  b.set_where("node 'sum' (Add)");
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  const Value y = b.input("y", {Kind::real, {kBatch, 4}});
  try {
    b.add(x, y);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_STREQ(error.what(), "[node 'sum' (Add)] the operands do not broadcast; got [N, 3] and [N, 4]");
  }
}

}  // namespace
}  // namespace ascribe::core
