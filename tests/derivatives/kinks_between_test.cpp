// Kinks between a point and other rows, seen from the choices that the network makes.
#include <gtest/gtest.h>

#include "derivatives/kinks.h"
#include "passes/choices.h"
#include "support/small_networks.h"
#include "tensor/rows.h"

namespace ascribe::core {
namespace {

Tensor row(const std::vector<double>& values) {
  return Tensor::of<double>({1, static_cast<int64_t>(values.size())}, values);
}

// op(x), of three numbers.
Graph of(const std::string& op, const Attributes& attributes = {}) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.op(op, {b.input("x", {Kind::real, {kBatch, 3}})}, attributes));
  return graph;
}

bool between(const Graph& graph, const std::vector<double>& from, const std::vector<double>& to) {
  return Kinks(graph, 0).between(std::array{row(from)}, row(to));
}

TEST(KinksBetween, AreSeenWhereAChoiceChanges) {
  const Attributes bounds{{"min", reals({0})}, {"max", reals({1})}}, axes{{"axes", ints({1})}, {"keepdims", ints({0})}};
  const std::vector<std::pair<Graph, std::vector<double>>> cases = {
      {of("relu"), {1, -2, 3}},
      {of("leaky_relu", {{"alpha", reals({0.1})}}), {1, -2, 3}},
      {of("abs"), {1, -2, 3}},
      {of("hard_swish"), {1, -5, 3}},
      {of("elu", {{"alpha", reals({1})}}), {1, -2, 3}},
      {of("clip", bounds), {0.5, -2, 0.2}},
      {of("reduce_max", axes), {3, 2, 1}}};
  for (const auto& [graph, crossed] : cases) {
    const bool clipped = graph[graph.outputs[0].value].op->name == "clip";
    const std::vector<double> from = clipped ? std::vector{0.1, 0.2, 0.3} : std::vector{0.5, 1.0, 2.0};
    const std::vector<double> near = clipped ? std::vector{0.2, 0.1, 0.4} : std::vector{0.4, 1.1, 2.5};
    EXPECT_FALSE(between(graph, from, near)) << graph[graph.outputs[0].value].op->name;
    EXPECT_TRUE(between(graph, from, crossed)) << graph[graph.outputs[0].value].op->name;
  }
}

TEST(KinksBetween, SmoothNetworksHaveNone) {
  for (const Graph& graph : {small_mlp("tanh"), small_vit(), small_cnn(true)}) {
    EXPECT_FALSE(has_kinks(graph));
    Kinks kinks(graph, 0);
    EXPECT_FALSE(kinks.any());
    EXPECT_FALSE(kinks.between(std::array{random_tensor({1, 1, 4, 4}, 1)}, random_tensor({4, 1, 4, 4}, 2, 100)));
  }
}

// The positions of max_pool_indices count through all rows; equal rows must look equal wherever they stand.
TEST(KinksBetween, RowsAreComparedWhereverTheyStandInTheBatch) {
  const Tensor x = random_tensor({1, 1, 4, 4}, 4);
  for (const Graph& graph : {small_cnn(), small_resnet()}) {
    Kinks kinks(graph, 0);
    EXPECT_TRUE(kinks.any());
    EXPECT_FALSE(kinks.between(std::array{x}, repeated_row(x, 5)));
    EXPECT_TRUE(kinks.between(std::array{x}, stacked_rows(std::vector{x, x, random_tensor({1, 1, 4, 4}, 9, 3)})));
  }
}

}  // namespace
}  // namespace ascribe::core
