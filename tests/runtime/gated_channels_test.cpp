// Squeeze-and-excitation blocks and activations in the spellings of exporters, against the slow interpreter.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "runtime/fuse_activations.h"
#include "runtime/session.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed, double scale = 1.0) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * random.normal(i);
  return tensor;
}

Attributes window(int64_t rank, int64_t pad, int64_t group = 1) {
  return {{"strides", ints(std::vector<int64_t>(static_cast<size_t>(rank), 1))},
          {"pads", ints(std::vector<int64_t>(static_cast<size_t>(2 * rank), pad))},
          {"dilations", ints(std::vector<int64_t>(static_cast<size_t>(rank), 1))},
          {"group", ints({group})}};
}

Attributes between(double low, double high) { return {{"min", reals({low})}, {"max", reals({high})}}; }

void expect_right(const Graph& graph, int64_t rows) {
  const Tensor x = noise(at(graph[graph.inputs[0].value].type.shape, rows), 3);
  const auto expected = interpret(graph, {{"x", x}}, rows);
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const auto actual = Session(graph).run(std::array{x});
    for (size_t o = 0; o < expected.size(); ++o) {
      double scale = 1e-30;
      for (int64_t i = 0; i < expected[o].size(); ++i) scale = std::max(scale, std::abs(expected[o].at(i)));
      // Some hundred additions of float32 in a row.
      for (int64_t i = 0; i < expected[o].size(); ++i) {
        ASSERT_NEAR(actual[o].at(i), expected[o].at(i), 1e-5 * scale) << "output " << o << ", element " << i;
      }
    }
  }
  set_thread_count(0);
}

// A block with so many channels and spatial axes; the gate is the first operand or the second.
Graph gated(int64_t channels, int64_t spatial, bool gate_first) {
  Graph graph;
  Builder b(graph);
  Dims shape = {kBatch, 3};
  shape.insert(shape.end(), static_cast<size_t>(spatial), 5);
  const auto weight = [&](int64_t out, int64_t in, int64_t kernel, uint64_t seed) {
    Shape dims = {out, in};
    dims.insert(dims.end(), static_cast<size_t>(spatial), kernel);
    return b.constant(noise(dims, seed, 0.3));
  };
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < spatial; ++axis) axes.push_back(axis + 2);
  const Value x = b.input("x", {Kind::real, shape});
  const Value h = b.op("relu", {b.op("conv", {x, weight(channels, 3, 3, 1)}, window(spatial, 1))});
  Value gate = b.reduce("reduce_mean", h, axes, true);
  gate = b.op("relu", {b.op("conv", {gate, weight(5, channels, 1, 2)}, window(spatial, 0))});
  gate = b.op("sigmoid", {b.op("conv", {gate, weight(channels, 5, 1, 3)}, window(spatial, 0))});
  const Value scaled = gate_first ? b.mul(gate, h) : b.mul(h, gate);
  b.output("y", b.op("conv", {scaled, weight(4, channels, 1, 4)}, window(spatial, 0)));
  b.output("shifted", b.op("conv",
                           {b.add(b.op("conv", {h, weight(channels, channels, 1, 5)}, window(spatial, 0)), gate),
                            weight(4, channels, 1, 6)},
                           window(spatial, 0)));
  b.output("sums", b.reduce("reduce_sum", b.mul(scaled, h), axes, false));
  return graph;
}

TEST(GatedChannels, GiveWhatTheInterpreterGives) {
  for (const int64_t channels : {1, 8, 16, 20, 37, 64}) {
    for (const bool first : {false, true}) {
      SCOPED_TRACE(fmt::format("{} channels, gate first: {}", channels, first));
      expect_right(gated(channels, 2, first), 3);
    }
  }
  for (const int64_t spatial : {1, 3}) expect_right(gated(20, spatial, false), 2);
}

TEST(GatedChannels, AreNotBroughtIntoAnotherOrder) {
  Session session(gated(32, 2, true));
  const auto names = session.step_names(1);
  // The input may be and two outputs; what lies between is not.
  EXPECT_LE(std::count(names.begin(), names.end(), "reorder"), 3);
}

TEST(GatedChannels, HandOnWhatIsNotANumber) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  const Value h = b.op("conv", {x, b.constant(noise({16, 3, 3, 3}, 1))}, window(2, 1));
  const Value mean = b.reduce("reduce_mean", h, {2, 3}, true);
  b.output("mean", mean);
  b.output("product", b.mul(mean, h));
  b.output("silu", b.mul(h, b.op("sigmoid", {h})));
  Tensor input = noise({1, 3, 5, 5}, 3);
  input.mutable_data<double>()[0] = std::numeric_limits<double>::quiet_NaN();
  const auto outputs = Session(graph).run(std::array{input});
  EXPECT_TRUE(std::isnan(outputs[0].at(0)));
  EXPECT_TRUE(std::isnan(outputs[1].at(24)));  // far from it, but the mean is not a number
  EXPECT_TRUE(std::isnan(outputs[2].at(0)));
  EXPECT_FALSE(std::isnan(outputs[2].at(24)));
}

using Spell = Value (*)(Builder&, Value);

Graph activated(Spell spell) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 6, 6}});
  const Value h = b.op("conv", {x, b.constant(noise({20, 3, 3, 3}, 1, 1.5))}, window(2, 1));
  b.output("y", b.op("conv", {spell(b, h), b.constant(noise({4, 20, 1, 1}, 2))}, window(2, 0)));
  return graph;
}

struct Spelling {
  std::string name;
  Spell spell;
  std::string step;
};

class Spellings : public testing::TestWithParam<Spelling> {};

TEST_P(Spellings, BecomeOneStepWithTheConvolution) {
  const Graph graph = activated(GetParam().spell);
  expect_right(graph, 2);
  const auto names = Session(graph).step_names(2);
  EXPECT_NE(std::find(names.begin(), names.end(), GetParam().step), names.end())
      << fmt::format("{}", fmt::join(names, " "));
}

Value wide_gate(Builder& b, Value x) { return b.op("clip", {b.add(x, 3.0)}, between(0, 6)); }

INSTANTIATE_TEST_SUITE_P(
    Runtime, Spellings,
    testing::Values(
        Spelling{"silu", [](Builder& b, Value x) { return b.mul(x, b.op("sigmoid", {x})); }, "conv+silu"},
        Spelling{"silu_turned", [](Builder& b, Value x) { return b.mul(b.op("sigmoid", {x}), x); }, "conv+silu"},
        Spelling{"hard_sigmoid",
                 [](Builder& b, Value x) {
                   return b.mul(x, b.op("clip", {b.add(b.mul(x, double{1.0F / 6}), 0.5)}, between(0, 1)));
                 },
                 "conv+hard_swish"},
        Spelling{"relu6_divided", [](Builder& b, Value x) { return b.div(b.mul(x, wide_gate(b, x)), b.scalar(6)); },
                 "conv+hard_swish"},
        Spelling{"divided_relu6", [](Builder& b, Value x) { return b.mul(x, b.div(wide_gate(b, x), b.scalar(6))); },
                 "conv+hard_swish"}),
    [](const auto& instance) { return instance.param.name; });

TEST(FuseActivations, LeavesOtherNumbersAlone) {
  const auto left_alone = [](Spell spell) {
    Graph graph = activated(spell);
    fuse_activations(graph);
    return std::none_of(graph.nodes.begin(), graph.nodes.end(),
                        [](const Node& node) { return node.op->name == "silu" || node.op->name == "hard_swish"; });
  };
  EXPECT_TRUE(left_alone([](Builder& b, Value x) {
    return b.mul(x, b.op("clip", {b.add(b.mul(x, 0.2), 0.5)}, between(0, 1)));  // the usual HardSigmoid
  }));
  EXPECT_TRUE(left_alone([](Builder& b, Value x) { return b.mul(b.op("relu", {x}), b.op("sigmoid", {x})); }));
}

TEST(FuseActivations, OthersStillReadWhatLiesBetween) {
  expect_right(activated([](Builder& b, Value x) {
                 const Value gate = b.op("sigmoid", {x});
                 return b.add(b.mul(x, gate), gate);
               }),
               2);
}

TEST(FuseActivations, AValueThatIsRepeatedIsBroadcast) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 6, 6}});
  const Value h = b.op("conv", {x, b.constant(noise({20, 3, 3, 3}, 1))}, window(2, 1));
  const Value mean = b.expand(b.reduce("reduce_mean", h, {2, 3}, true), {kBatch, 20, 6, 6});
  b.output("y", b.op("conv", {b.add(h, mean), b.constant(noise({4, 20, 1, 1}, 2))}, window(2, 0)));
  expect_right(graph, 2);
  const auto names = Session(graph).step_names(2);
  EXPECT_EQ(std::count(names.begin(), names.end(), "expand"), 0);
}

}  // namespace
}  // namespace ascribe::core
