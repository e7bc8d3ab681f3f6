// Transposes between channels first and channels last are another layout of the same memory: whoever reads it, and
// whatever else reads what was transposed, gets the right numbers.
#include <gtest/gtest.h>

#include <array>

#include "runtime/session.h"
#include "support/interpret.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

void expect_same(const Graph& graph, const Shape& row, DType real) {
  for (const int64_t rows : {1, 3}) {
    Shape shape = row;
    shape.insert(shape.begin(), rows);
    const Tensor x = random_tensor(shape, 5);
    const std::vector<Tensor> slow = interpret(graph, {{"x", x}}, rows);
    Session session(graph, {.real = real});
    const std::vector<Tensor> fast = session.run(std::array{x});
    ASSERT_EQ(fast.size(), slow.size());
    for (size_t k = 0; k < slow.size(); ++k) {
      ASSERT_EQ(fast[k].shape(), slow[k].shape());
      const double tolerance = real == DType::f32 ? 1e-5 : 1e-13;
      for (int64_t i = 0; i < slow[k].size(); ++i) ASSERT_NEAR(fast[k].at(i), slow[k].at(i), tolerance) << k;
    }
  }
}

TEST(TurnedLayout, AroundAConvolution) {
  for (const int64_t channels : {1, 3, 16, 20}) {
    Graph graph;
    SmallNetwork net(graph);
    Builder& b = net.b;
    const Value x = b.input("x", {Kind::real, {kBatch, 6, 7, channels}});
    const Value turned = b.transpose(x, {0, 3, 1, 2});
    const Value y = net.relu(net.conv(turned, channels, 16, 3, 1, 1, "conv"));
    b.output("back", b.transpose(y, {0, 2, 3, 1}));
    b.output("as it is", y);
    b.output("only turned", turned);
    b.output("there and back", b.transpose(turned, {0, 2, 3, 1}));
    for (const DType real : {DType::f32, DType::f64}) expect_same(graph, {6, 7, channels}, real);
  }
}

// The input is read again after its transpose was, and what overwrites one must not harm the other.
TEST(TurnedLayout, BesideOtherReaders) {
  Graph graph;
  SmallNetwork net(graph);
  Builder& b = net.b;
  const Value x = b.input("x", {Kind::real, {kBatch, 5, 4, 8}});
  const Value half = b.mul(x, 0.5);
  const Value turned = b.transpose(half, {0, 3, 1, 2});
  const Value changed = b.op("relu", {turned});
  const Value other = b.op("tanh", {half});
  b.output("a", net.conv(changed, 8, 8, 3, 1, 1, "conv"));
  b.output("b", b.add(other, b.transpose(changed, {0, 2, 3, 1})));
  b.output("c", b.transpose(turned, {0, 1, 3, 2}));
  for (const DType real : {DType::f32, DType::f64}) expect_same(graph, {5, 4, 8}, real);
}

TEST(TurnedLayout, SeriesAndVolumes) {
  Graph series;
  Builder b(series);
  const Value x = b.input("x", {Kind::real, {kBatch, 9, 4}});
  b.output("y", b.op("relu", {b.transpose(x, {0, 2, 1})}));
  for (const DType real : {DType::f32, DType::f64}) expect_same(series, {9, 4}, real);

  Graph volume;
  Builder c(volume);
  const Value v = c.input("x", {Kind::real, {kBatch, 3, 4, 5, 6}});
  const Value turned = c.transpose(v, {0, 4, 1, 2, 3});
  c.output("y", c.op("sigmoid", {turned}));
  c.output("z", c.transpose(c.op("relu", {turned}), {0, 2, 3, 4, 1}));
  for (const DType real : {DType::f32, DType::f64}) expect_same(volume, {3, 4, 5, 6}, real);
}

}  // namespace
}  // namespace ascribe::core
