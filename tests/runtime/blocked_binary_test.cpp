// Sums, differences and products of blocked values with an activation behind them, for numbers of channels that fill
// blocks of eight and that do not.
#include <gtest/gtest.h>

#include "runtime/session.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Both operands come from convolutions and have other readers, so that the operation stays one of its own.
Graph network(const std::string& op, const std::string& activation, int64_t channels) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, channels, 4, 3}));
  const auto branch = [&](uint64_t seed) {
    const Value weight = b.constant(random_tensor({channels, channels, 3, 3}, seed, 0.3));
    return b.op("tanh", {b.op("conv", {x, weight},
                              {{"strides", ints({1, 1})},
                               {"pads", ints({1, 1, 1, 1})},
                               {"dilations", ints({1, 1})},
                               {"group", ints({1})}})});
  };
  const Value first = branch(1), second = branch(2);
  b.output("y", b.op(activation, {b.op(op, {first, second})}));
  b.output("first", first);
  b.output("second", second);
  return graph;
}

TEST(BlockedBinary, WithAnActivationBehindIt) {
  for (const int64_t channels : {3, 4, 8, 12, 16}) {
    for (const char* op : {"add", "sub", "mul", "maximum"}) {
      for (const char* activation : {"relu", "sigmoid"}) {
        const Graph graph = network(op, activation, channels);
        const Tensor x = random_tensor({2, channels, 4, 3}, 5);
        Session session(graph);
        const Tensor fast = session.run(std::vector{x.cast(DType::f32)})[0];
        SCOPED_TRACE(fmt::format("{} and {}, {} channels", op, activation, channels));
        // Numbers of at most 2 from sums of up to 144 products in float.
        expect_near(fast.cast(DType::f64), interpret(graph, {{"x", x}}, 2)[0], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
