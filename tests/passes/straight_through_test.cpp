// What rounds straight through is the identity to gradients, jets, DeepLIFT and relevance, and to nothing else.
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "passes/choices.h"
#include "passes/differentiable.h"
#include "passes/gradient.h"
#include "passes/jets.h"
#include "support/ask.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// y = quantize(3 x)^2
Graph squared_steps() {
  Graph graph;
  Builder b(graph);
  const Value steps = b.op("quantize", {b.mul(b.input("x", real({kBatch, 1})), 3.0)});
  b.output("y", b.mul(steps, steps));
  return graph;
}

Tensor at(double x) { return Tensor::of<double>({1, 1}, {x}); }

TEST(StraightThrough, TheValueIsRoundedAndTheDerivativeIsNot) {
  const Graph graph = squared_steps();
  // 3 * 0.8 = 2.4 becomes 2; d/dx of q^2 = 2 q * 3.
  EXPECT_EQ(interpret(graph, {{"x", at(0.8)}}, 1)[0].at(0), 4);
  const auto found = interpret(gradient(graph).graph, {{"x", at(0.8)}, {"seed", at(1)}}, 1);
  EXPECT_EQ(found[1].at(0), 12);
}

TEST(StraightThrough, JetsAgreeWithTheGradient) {
  const auto terms = interpret(jets(squared_steps(), {2, {}, false}), {{"x", at(0.8)}, {"v.x", at(1)}}, 1);
  EXPECT_EQ(terms[0].at(0), 4);
  EXPECT_EQ(terms[1].at(0), 12);
  EXPECT_EQ(terms[2].at(0), 9);  // (3 t)^2
}

// relu(quantize(W x)): the rounded numbers keep their relevance.
TEST(StraightThrough, RelevanceIsHandedOnUnchanged) {
  const auto network = [](bool rounds) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", real({kBatch, 2}));
    const Value z = b.matmul(x, b.constant(Tensor::of<double>({2, 1}, {3, 1})));
    b.output("y", b.op("relu", {rounds ? b.op("quantize", {z}) : z}));
    return graph;
  };
  const Tensor x = Tensor::of<double>({1, 2}, {2, 5});  // whole numbers, which rounding leaves as they are
  for (const char* method : {"lrp_epsilon", "lrp_alpha_beta", "deep_taylor"}) {
    const auto values = [&](bool rounds) { return ask(method, network(rounds), ask_about(x)).values; };
    EXPECT_EQ(values(true), values(false)) << method;
    EXPECT_GT(values(true)[0], 1) << method;
  }
  EXPECT_NEAR(ask("lrp_epsilon", network(true), ask_about(x)).values[0], 6, 1e-3);
}

TEST(StraightThrough, IsNoKinkAndNotFlat) {
  EXPECT_FALSE(has_kinks(squared_steps()));
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 1}));
  EXPECT_FALSE(is_flat(graph[b.op("quantize", {x})]));
  EXPECT_TRUE(is_flat(graph[b.op("round", {x})]));
}

}  // namespace
}  // namespace ascribe::core
