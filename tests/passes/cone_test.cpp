// Where a change reaches: a NaN that enters a network spreads over exactly what depends on it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/builder.h"
#include "passes/cone.h"
#include "support/interpret.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Value pooled(Builder& b, Value x, const std::string& op, int64_t size, int64_t stride, int64_t pad, bool counts) {
  Attributes attributes{{"kernel", ints({size, size})},
                        {"strides", ints({stride, stride})},
                        {"pads", ints({pad, pad, pad, pad})},
                        {"dilations", ints({1, 1})},
                        {"ceil_mode", ints({0})}};
  if (op == "average_pool") attributes.set("count_include_pad", ints({counts ? 1 : 0}));
  return b.op(op, {x}, attributes);
}

// A residual block between a strided convolution and two poolings.
Graph deep_network() {
  Graph graph;
  SmallNetwork net(graph);
  Builder& b = net.b;
  Value x = b.input("x", {Kind::real, {kBatch, 1, 33, 29}});
  x = net.relu(net.conv(x, 1, 2, 5, 2, 2, "first"));
  x = net.relu(b.add(x, net.conv(net.relu(net.conv(x, 2, 2, 3, 1, 1, "a")), 2, 2, 3, 1, 1, "b")));
  x = pooled(b, x, "max_pool", 3, 2, 1, false);
  x = b.op("tanh", {net.conv(x, 2, 3, 1, 1, 0, "one by one")});
  x = pooled(b, x, "average_pool", 2, 1, 1, true);
  b.output("y", b.reduce("reduce_mean", x, {2, 3}, false));
  return graph;
}

TEST(ConeOfInfluence, BoxesAreWhatANanReaches) {
  const Graph graph = deep_network();
  const auto cone = Cone::of(graph, 0);
  ASSERT_TRUE(cone);
  ASSERT_EQ(cone->segments().size(), 6U);  // the input, three convolutions, two poolings
  const size_t count = cone->segments().size();
  for (const ConeBox& change :
       {ConeBox{{0, 0}, {1, 1}}, ConeBox{{32, 28}, {1, 1}}, ConeBox{{7, 12}, {3, 2}}, ConeBox{{10, 0}, {6, 29}}}) {
    Tensor x(DType::f64, {1, 1, 33, 29});
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<double>()[i] = 0.1 * static_cast<double>(i % 7) - 0.2;
    for (int64_t y = change.begin[0]; y < change.begin[0] + change.size[0]; ++y) {
      for (int64_t c = change.begin[1]; c < change.begin[1] + change.size[1]; ++c) {
        x.mutable_data<double>()[y * 29 + c] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    const std::vector<Tensor> values = interpret_nodes(graph, {{"x", x}}, 1);
    const std::vector<ConeBox> boxes = cone->boxes(change, count);
    for (size_t i = 0; i < count; ++i) {
      for (const Value value : cone->segments()[i].outputs) {
        const Tensor& own = values[static_cast<size_t>(value.index)];
        const int64_t height = own.shape()[2], width = own.shape()[3];
        int64_t top = height, left = width, bottom = -1, right = -1;
        for (int64_t e = 0; e < own.size(); ++e) {
          if (!std::isnan(own.at(e))) continue;
          top = std::min(top, e / width % height), bottom = std::max(bottom, e / width % height);
          left = std::min(left, e % width), right = std::max(right, e % width);
        }
        EXPECT_EQ(boxes[i].begin, (Shape{top, left})) << "segment " << i;
        EXPECT_EQ(boxes[i].size, (Shape{bottom - top + 1, right - left + 1})) << "segment " << i;
      }
    }
  }
}

// Segments, frontier and rest put together on the whole are the network.
TEST(ConeOfInfluence, TheRestAnswersAsTheNetwork) {
  const Graph graph = deep_network();
  auto cone = Cone::of(graph, 0);
  ASSERT_TRUE(cone);
  const Tensor x = random_tensor({2, 1, 33, 29}, 3);
  const Tensor answer = interpret(graph, {{"x", x}}, 2)[0];
  for (const bool last : {false, true}) {
    cone->keep_channels_last(last);
    for (size_t count = 1; count <= cone->segments().size(); ++count) {
      const std::vector<Tensor> known = interpret(cone->reference(count), {{"x", x}}, 2);
      const std::vector<Value> values = cone->known_values(count), frontier = cone->frontier(count);
      std::map<std::string, Tensor> inputs;
      for (size_t i = 0; i < frontier.size(); ++i) {
        const auto at = std::find(values.begin(), values.end(), frontier[i]) - values.begin();
        inputs[fmt::format("value{}", i)] = known[static_cast<size_t>(at)];
      }
      std::vector<size_t> kept;
      const Tensor behind = interpret(cone->rest(count, kept), inputs, 2)[0];
      EXPECT_TRUE(kept.empty());
      for (int64_t i = 0; i < answer.size(); ++i) EXPECT_DOUBLE_EQ(behind.at(i), answer.at(i)) << count;
    }
  }
}

TEST(ConeOfInfluence, EndsWhereItIsNotUnderstood) {
  Graph graph;
  SmallNetwork net(graph);
  Builder& b = net.b;
  Value x = b.input("x", {Kind::real, {kBatch, 1, 20, 20}});
  x = net.relu(net.conv(x, 1, 2, 3, 1, 1, "first"));
  const Value uneven = pooled(b, x, "average_pool", 3, 1, 1, false);  // divides by less at the border
  x = net.conv(uneven, 2, 2, 3, 1, 1, "second");
  b.output("y", b.reduce("reduce_mean", x, {2, 3}, false));
  const auto cone = Cone::of(graph, 0);
  ASSERT_TRUE(cone);
  EXPECT_EQ(cone->segments().size(), 2U);

  Graph flat;
  Builder c(flat);
  c.output("y", c.op("tanh", {c.input("x", {Kind::real, {kBatch, 4, 4}})}));
  EXPECT_FALSE(Cone::of(flat, 0));  // no window slides
}

}  // namespace
}  // namespace ascribe::core
