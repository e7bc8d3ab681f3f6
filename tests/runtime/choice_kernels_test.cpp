// gate, max_pool_pick and max_pool_scatter in float32 against the slow interpreter, in row-major memory and in the
// blocked layouts that convolutions leave behind; with ties and NaN.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"
#include "runtime/session.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

// Small integers: exact in float, and full of ties.
Tensor dice(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(random.below(i, 7)) - 3;
  return tensor;
}

struct Pooling {
  int64_t height, width, kernel, stride, before, after, dilation;
};

const Pooling kPoolings[] = {
    {8, 6, 2, 2, 0, 0, 1},  // windows of four, nothing left over
    {7, 9, 2, 2, 0, 0, 1},  // odd extents: the last row and column are in no window
    {8, 8, 2, 2, 0, 1, 1},  // padding at the end
    {9, 7, 3, 2, 1, 1, 1},  // windows overlap
    {9, 9, 2, 1, 0, 1, 3},  // taps apart
    {5, 5, 3, 3, 1, 0, 1},
};

Attributes attributes_of(const Pooling& p) {
  return {{"kernel", ints({p.kernel, p.kernel})},
          {"strides", ints({p.stride, p.stride})},
          {"pads", ints({p.before, p.before, p.after, p.after})},
          {"dilations", ints({p.dilation, p.dilation})},
          {"ceil_mode", ints({0})}};
}

constexpr int64_t kChannels = 11;  // no multiple of any block

// A convolution that does nothing but leave its result in the layout that it likes.
Value blocked(Builder& b, Value x) {
  Tensor identity(DType::f64, {kChannels, kChannels, 1, 1});
  for (int64_t c = 0; c < kChannels; ++c) identity.mutable_data<double>()[c * kChannels + c] = 1;
  return b.op(
      "conv", {x, b.constant(identity)},
      {{"strides", ints({1, 1})}, {"pads", ints({0, 0, 0, 0})}, {"dilations", ints({1, 1})}, {"group", ints({1})}});
}

enum class Lie { plain, x_blocked, choice_blocked, both_blocked };

// op(x, choice), followed by a gate by the same choice if asked, or a reader that wants blocks.
Graph graph_of(const std::string& op, const Pooling& p, Lie lie, bool gated) {
  Graph graph;
  Builder b(graph);
  const Dims large = {kBatch, kChannels, p.height, p.width};
  Dims small = large;
  if (op == "max_pool_scatter") {
    const int64_t reach = (p.kernel - 1) * p.dilation + 1;
    small[2] = (p.height + p.before + p.after - reach) / p.stride + 1;
    small[3] = (p.width + p.before + p.after - reach) / p.stride + 1;
  }
  Value x = b.input("x", {Kind::real, small}), choice = b.input("choice", {Kind::real, large});
  if (lie == Lie::x_blocked || lie == Lie::both_blocked) x = blocked(b, x);
  if (lie == Lie::choice_blocked || lie == Lie::both_blocked) choice = blocked(b, choice);
  Value y = op == "gate" ? b.op(op, {x, choice}) : b.op(op, {x, choice}, attributes_of(p));
  if (gated) y = b.op("gate", {y, choice});
  b.output("y", y);
  return graph;
}

void expect_equal(const Tensor& actual, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape());
  for (int64_t i = 0; i < actual.size(); ++i) {
    ASSERT_TRUE(actual.at(i) == expected.at(i) || (std::isnan(actual.at(i)) && std::isnan(expected.at(i))))
        << what << ": element " << i << " is " << actual.at(i) << ", expected " << expected.at(i);
  }
}

void check(const std::string& op, bool gated, bool nans) {
  for (const Pooling& p : kPoolings) {
    for (const Lie lie : {Lie::plain, Lie::x_blocked, Lie::choice_blocked, Lie::both_blocked}) {
      const Graph graph = graph_of(op, p, lie, gated);
      const Tensor x = dice(at(graph[graph.inputs[0].value].type.shape, 3), 1);
      Tensor choice = dice(at(graph[graph.inputs[1].value].type.shape, 3), 2);
      if (nans) {
        for (int64_t i = 0; i < choice.size(); i += 5)
          choice.mutable_data<double>()[i] = std::numeric_limits<double>::quiet_NaN();
      }
      const auto expected = interpret(graph, {{"x", x}, {"choice", choice}}, 3);
      const auto actual = Session(graph).run(std::array{x, choice});
      expect_equal(actual[0], expected[0],
                   fmt::format("{} of {} x {} by {}, lie {}", op, p.height, p.width, p.kernel, static_cast<int>(lie)));
    }
  }
}

TEST(GateKernel, IsTheReferenceInAnyLayout) { check("gate", false, false); }

TEST(GateKernel, LetsPassWhatNanCannotJudge) { check("gate", false, true); }

TEST(MaxPoolPickKernel, TakesTheFirstOfEqualOnesInAnyLayout) { check("max_pool_pick", false, false); }

TEST(MaxPoolPickKernel, LetsNanWin) { check("max_pool_pick", false, true); }

TEST(MaxPoolScatterKernel, GoesToTheFirstOfEqualOnesInAnyLayout) { check("max_pool_scatter", false, false); }

TEST(MaxPoolScatterKernel, LetsNanWin) { check("max_pool_scatter", false, true); }

TEST(MaxPoolScatterKernel, AbsorbsAGateByTheSameChoice) {
  check("max_pool_scatter", true, false);
  check("max_pool_scatter", true, true);
  const auto names = Session(graph_of("max_pool_scatter", kPoolings[0], Lie::both_blocked, true)).step_names(2);
  EXPECT_NE(std::find(names.begin(), names.end(), "max_pool_scatter+gate"), names.end());
}

TEST(GateKernel, LeavesTheLayoutOfConvolutions) {
  for (const char* op : {"gate", "max_pool_pick", "max_pool_scatter"}) {
    Graph graph = graph_of(op, kPoolings[0], Lie::both_blocked, false);
    Builder b(graph);
    const Value y = graph.outputs[0].value;
    graph.outputs.clear();
    b.output("y", blocked(b, y));
    const auto names = Session(graph).step_names(2);
    // Both inputs into blocks, the result out of them.
    EXPECT_LE(std::count(names.begin(), names.end(), "reorder"), 3) << op;
  }
}

TEST(GateKernel, ChoiceThatBroadcastsIsTheReferences) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4, 3}}), choice = b.input("choice", {Kind::real, {kBatch, 1, 3}});
  b.output("y", b.op("gate", {x, choice}));
  const Tensor values = dice({2, 4, 3}, 3), gates = dice({2, 1, 3}, 4);
  expect_equal(Session(graph).run(std::array{values, gates})[0],
               interpret(graph, {{"x", values}, {"choice", gates}}, 2)[0], "broadcast");
}

}  // namespace
}  // namespace ascribe::core
