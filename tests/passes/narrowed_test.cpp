// One place of an output's axis, computed alone.
#include "passes/narrowed.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Positions mix in the middle only, as in a language model; the middle is read twice.
Graph small_language() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4, 3}});
  const Value mixed = b.matmul(b.constant(random_tensor({4, 4}, 1)), x);  // over positions
  const Value inner = b.op("tanh", {b.matmul(mixed, b.constant(random_tensor({3, 5}, 2)))});
  const Value sum = b.add(mixed, b.matmul(inner, b.constant(random_tensor({5, 3}, 3))));
  const Value places = b.add(sum, b.constant(random_tensor({4, 1}, 4)));
  const Value normal = b.op("normalize", {places}, {{"axes", ints({2})}, {"epsilon", reals({1e-5})}});
  const Value scaled = b.mul(normal, b.constant(random_tensor({3}, 5)));
  b.output("logits", b.matmul(scaled, b.constant(random_tensor({7, 3}, 6)), false, true));
  return graph;
}

const Node* last_product(const Graph& graph) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes) {
    if (node.op->name == "matmul") found = &node;
  }
  return found;
}

TEST(Narrowed, GivesWhatTheWholeGivesAtThePlace) {
  const Graph graph = small_language();
  const Tensor x = random_tensor({2, 4, 3}, 9);
  const Tensor whole = interpret(graph, {{"x", x}}, 2)[0];
  for (int64_t place = 0; place < 4; ++place) {
    const Graph narrow = narrowed(graph, 0, 1, place);
    const Tensor one = interpret(narrow, {{"x", x}}, 2)[0];
    ASSERT_EQ(one.shape(), (Shape{2, 1, 7}));
    for (int64_t r = 0; r < 2; ++r) {
      for (int64_t v = 0; v < 7; ++v) {
        EXPECT_NEAR(one.at(r * 7 + v), whole.at((r * 4 + place) * 7 + v), 1e-12);  // the same sums
      }
    }
    EXPECT_EQ(last_product(narrow)->type.shape[1], Dim(1));  // the largest product is of one place
  }
}

TEST(Narrowed, NeverMixesPlacesAndNeverComputesTwice) {
  const Graph graph = small_language();
  const Graph narrow = narrowed(graph, 0, 1, 2);
  const auto products = [](const Graph& one) {
    return std::count_if(one.nodes.begin(), one.nodes.end(), [](const Node& n) { return n.op->name == "matmul"; });
  };
  EXPECT_EQ(products(narrow), products(graph));
  // An axis that the last operation adds up over is cut behind it.
  Graph summed;
  Builder b(summed);
  const Value x = b.input("x", {Kind::real, {kBatch, 4, 3}});
  b.output("y", b.op("softmax", {x}, {{"axis", ints({1})}}));
  const Tensor at = random_tensor({2, 4, 3}, 9);
  const Tensor whole = interpret(summed, {{"x", at}}, 2)[0],
               one = interpret(narrowed(summed, 0, 1, 3), {{"x", at}}, 2)[0];
  for (int64_t v = 0; v < 3; ++v) EXPECT_EQ(one.at(v), whole.at(3 * 3 + v));
}

}  // namespace
}  // namespace ascribe::core
