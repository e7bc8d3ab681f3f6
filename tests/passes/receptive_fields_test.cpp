#include "passes/receptive_fields.h"

#include <gtest/gtest.h>

#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

Value conv(Builder& b, Value x, int64_t in, int64_t out, int64_t stride, int64_t dilation, uint64_t seed) {
  return b.op("conv", {x, b.constant(random_tensor({out, in, 3, 3}, seed))},
              {{"strides", ints({stride, 1})},
               {"pads", ints({1, 2, 1, 0})},
               {"dilations", ints({1, dilation})},
               {"group", ints({1})}});
}

Value dense(Builder& b, Value h, int64_t size) {
  return b.matmul(b.reshape(h, {kBatch, size}), b.constant(random_tensor({size, 2}, 9)));
}

Value image(Builder& b) { return b.input("x", {Kind::real, {kBatch, 2, 16, 18}}); }

// Two convolutions, pooling and a sum of two branches; the sizes differ along the axes.
Graph local_network() {
  Graph graph;
  Builder b(graph);
  const Value first = b.op("tanh", {conv(b, image(b), 2, 3, 2, 1, 1)});
  const Value second = b.op("sigmoid", {b.op("conv", {first, b.constant(random_tensor({3, 3, 1, 1}, 2))},
                                             {{"strides", ints({1, 1})},
                                              {"pads", ints({0, 0, 0, 0})},
                                              {"dilations", ints({1, 1})},
                                              {"group", ints({1})}})});
  const Value pooled = b.op("average_pool", {b.add(first, second)},
                            {{"kernel", ints({2, 2})},
                             {"strides", ints({2, 1})},
                             {"pads", ints({0, 0, 0, 0})},
                             {"dilations", ints({1, 1})},
                             {"ceil_mode", ints({0})},
                             {"count_include_pad", ints({0})}});
  const Shape shape = at(b.shape(pooled), 1);
  b.output("y", dense(b, pooled, element_count(shape)));
  return graph;
}

// Every pixel is changed once: what changes behind the local layers sees it, and what does not, does not.
TEST(ReceptiveFields, AreWhatAChangedPixelReaches) {
  const Graph graph = local_network();
  const auto part = split_local_part(graph, 0);
  ASSERT_TRUE(part);
  const Tensor x = random_tensor({1, 2, 16, 18}, 4);
  const auto h_of = [&](const Tensor& row) { return interpret(part->prefix, {{"x", row}}, 1)[0]; };
  const Tensor before = h_of(x);
  const int64_t width = part->shape[2], plane = part->shape[1] * width;
  ASSERT_EQ(part->rows.size(), static_cast<size_t>(part->shape[1]));
  ASSERT_EQ(part->columns.size(), static_cast<size_t>(width));
  for (int64_t pixel = 0; pixel < 16 * 18; ++pixel) {
    Tensor changed = x;
    for (int64_t c = 0; c < 2; ++c) changed.mutable_data<double>()[c * 16 * 18 + pixel] += 1;
    const Tensor after = h_of(changed);
    const int64_t y = pixel / 18, column = pixel % 18;
    for (int64_t place = 0; place < plane; ++place) {
      bool differs = false;
      for (int64_t c = 0; c < part->shape[0]; ++c) {
        differs = differs || before.at(c * plane + place) != after.at(c * plane + place);
      }
      const Field rows = part->rows[place / width], columns = part->columns[place % width];
      const bool inside = y >= rows.begin && y < rows.end && column >= columns.begin && column < columns.end;
      EXPECT_EQ(differs, inside) << "pixel " << pixel << ", place " << place;
    }
  }
}

TEST(ReceptiveFields, TheTwoPartsTogetherAreTheModel) {
  const Graph graph = local_network();
  const auto part = split_local_part(graph, 0);
  ASSERT_TRUE(part);
  const Tensor x = random_tensor({3, 2, 16, 18}, 5);
  const Tensor h = interpret(part->prefix, {{"x", x}}, 3)[0];
  EXPECT_EQ(values_of(interpret(part->suffix, {{"x", h}}, 3)[0]), values_of(interpret(graph, {{"x", x}}, 3)[0]));
}

TEST(ReceptiveFields, AnInputThatIsReadAgainLaterIsNotCut) {
  Graph graph;
  Builder b(graph);
  const Value x = image(b);
  const Value h = b.op("tanh", {conv(b, x, 2, 3, 2, 1, 1)});
  const Value late = b.reduce("reduce_sum", b.reshape(x, {kBatch, 2 * 16 * 18}), {1}, true);
  b.output("y", b.add(dense(b, h, element_count(at(b.shape(h), 1))), late));
  EXPECT_FALSE(split_local_part(graph, 0));
}

TEST(ReceptiveFields, WideWindowsAndRowsThatAreNoImagesAreNotCut) {
  Graph wide;
  Builder b(wide);
  Value h = image(b);
  for (int i = 0; i < 4; ++i) h = b.op("tanh", {conv(b, h, i == 0 ? 2 : 3, 3, 1, 1, 1)});
  b.output("y", dense(b, h, element_count(at(b.shape(h), 1))));
  EXPECT_FALSE(split_local_part(wide, 0)) << "9 x 9 of 16 x 18 pixels";
  Graph table;
  Builder t(table);
  t.output("y", t.op("tanh", {t.input("x", {Kind::real, {kBatch, 5}})}));
  EXPECT_FALSE(split_local_part(table, 0));
}

// A choice made place by place, through booleans, is local; the cut itself carries reals.
TEST(ReceptiveFields, GoThroughChoicesAtEachPlace) {
  Graph graph;
  Builder b(graph);
  const Value first = b.op("tanh", {conv(b, image(b), 2, 3, 2, 1, 1)});
  const Value chosen = b.op("where", {b.op("less", {first, b.scalar(0)}), b.mul(first, 0.1), b.op("floor", {first})});
  const Value above = b.op("less", {b.scalar(0), chosen});
  const int64_t size = element_count(at(b.shape(chosen), 1));
  b.output("y", dense(b, chosen, size));
  b.output("above", above);
  const auto part = split_local_part(graph, 0);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->prefix.is(part->prefix.outputs[0].value, "where"));
  EXPECT_EQ(part->rows.front().end, 2);
}

}  // namespace
}  // namespace ascribe::core
