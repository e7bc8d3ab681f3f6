// Slice, Pad, Tile, Split, Reshape and their like, fixed and with a growing batch.
#include <limits>

#include "onnx/lowering/node_case.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

NodeCase slice(const Tensor& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
               const std::vector<int64_t>& axes, const std::vector<int64_t>& steps, bool grows = false) {
  NodeCase node("Slice", 13);
  node.input(x, grows);
  for (const auto& list : {starts, ends, axes, steps}) node.constant(integers_of(list));
  return node;
}

TEST(Slice, NegativeStepsRunBackwardsAndClamp) {
  const Tensor x = counting({5});
  expect_values(slice(x, {-1}, {-100}, {0}, {-2}).run()[0], {3}, {4, 2, 0});
  expect_values(slice(x, {100}, {0}, {0}, {-1}).run()[0], {4}, {4, 3, 2, 1});
  expect_values(slice(x, {3}, {2}, {0}, {1}).run()[0], {0}, {});
  expect_values(slice(x, {1}, {INT64_MAX}, {-1}, {INT64_MAX}).run()[0], {1}, {1});
  expect_values(slice(x, {INT64_MAX}, {INT64_MIN}, {0}, {INT64_MIN}).run()[0], {1}, {4});
}

TEST(Slice, AttributesOfEarlyOpsets) {
  NodeCase node("Slice", 9);
  node.input(counting({2, 3}))
      .set("starts", std::vector<int64_t>{1})
      .set("ends", std::vector<int64_t>{1000})
      .set("axes", std::vector<int64_t>{1});
  expect_values(node.run()[0], {2, 2}, {1, 2, 4, 5});
}

TEST(Slice, ColumnsOfAGrowingBatch) {
  expect_values(slice(counting({3, 2}), {1}, {2}, {1}, {1}, true).run()[0], {3, 1}, {1, 3, 5});
}

TEST(Slice, StepZeroAndRepeatedAxesAreRefused) {
  EXPECT_NE(slice(counting({5}), {0}, {5}, {0}, {0}).refusal(), "");
  EXPECT_NE(slice(counting({5, 5}), {0, 0}, {5, 5}, {0, -2}, {1, 1}).refusal(), "");
}

TEST(Pad, NegativeCountsCut) {
  NodeCase node("Pad", 13);
  node.input(reals_of({4}, {1, 2, 3, 4})).constant(integers_of({-1, 2})).constant(Tensor::scalar(9.0));
  expect_values(node.run()[0], {5}, {2, 3, 4, 9, 9});
}

TEST(CenterCropPad, TheOddOneGoesToTheEnd) {
  NodeCase node("CenterCropPad", 18);
  node.input(counting({2, 5})).constant(integers_of({3, 2}));
  expect_values(node.run()[0], {3, 2}, {1, 2, 6, 7, 0, 0});
}

TEST(Tile, RepeatsWholeAxes) {
  NodeCase node("Tile", 13);
  node.input(reals_of({2, 1}, {1, 2})).constant(integers_of({2, 2}));
  expect_values(node.run()[0], {4, 2}, {1, 1, 2, 2, 1, 1, 2, 2});
}

TEST(Split, TheLastPartMayBeSmaller) {
  NodeCase node("Split", 18);
  node.input(counting({5})).set("num_outputs", 2);
  const auto parts = node.run(2);
  expect_values(parts[0], {3}, {0, 1, 2});
  expect_values(parts[1], {2}, {3, 4});
}

TEST(Split, PartsMustMakeTheWhole) {
  NodeCase node("Split", 11);
  node.input(counting({5})).set("split", std::vector<int64_t>{2, 2});
  EXPECT_THROW(node.import(2), Error);
}

// Sums and products of such axes overflow, which the sanitizers notice.
TEST(ReverseSequence, RefusesAxesThatAreNone) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const auto& [rows, time] : std::vector<std::pair<int64_t, int64_t>>{
           {kMost, kMost}, {kMost, 1}, {-kMost - 1, -1}, {0, 0}, {1, 1}, {2, -1}, {0, kMost}}) {
    NodeCase node("ReverseSequence", 10);
    node.input(Tensor(DType::f64, {2, 3})).constant(Tensor::of<int64_t>({2}, {1, 2}));
    node.set("batch_axis", rows).set("time_axis", time);
    expect_error(ErrorKind::model, "batch_axis and time_axis", [&] { node.run(); });
  }
}

TEST(ReverseSequence, EveryRowHasItsLength) {
  NodeCase node("ReverseSequence", 10);
  node.input(counting({2, 3})).constant(integers_of({2, 3})).set("batch_axis", 0).set("time_axis", 1);
  expect_values(node.run()[0], {2, 3}, {1, 0, 2, 5, 4, 3});
}

TEST(Range, CountsDown) {
  NodeCase node("Range", 11);
  node.constant(Tensor::scalar<int64_t>(10)).constant(Tensor::scalar<int64_t>(4)).constant(Tensor::scalar<int64_t>(-3));
  expect_values(node.run()[0], {2}, {10, 7});
}

TEST(Range, HostileBoundsAreRefused) {
  NodeCase node("Range", 11);
  node.constant(Tensor::scalar<int64_t>(INT64_MIN)).constant(Tensor::scalar<int64_t>(INT64_MAX));
  node.constant(Tensor::scalar<int64_t>(1));
  EXPECT_NE(node.refusal(), "");
}

}  // namespace
}  // namespace ascribe::core
