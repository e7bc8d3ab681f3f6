// Places that no output needs are not computed.
#include "passes/needed_places.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int64_t kTokens = 5, kWidth = 6, kHeads = 2;

Value layer_norm(Builder& b, Value x, uint64_t seed) {
  const Value normal = b.op("normalize", {x}, {{"axes", ints({2})}, {"epsilon", reals({1e-5})}});
  return b.add(b.mul(normal, b.constant(random_tensor({kWidth}, seed))), b.constant(random_tensor({kWidth}, seed + 1)));
}

Value matrix(Builder& b, int64_t rows, int64_t columns, uint64_t seed) {
  return b.constant(random_tensor({rows, columns}, seed));
}

Value split(Builder& b, Value x) {
  return b.transpose(b.reshape(x, {kBatch, kTokens, kHeads, kWidth / kHeads}), {0, 2, 1, 3});
}

// A block of a transformer. `merged`: the output projection is of all tokens of all rows in one matrix, tokens first,
// as torch.nn.MultiheadAttention is exported.
Value block(Builder& b, Value x, uint64_t seed, bool merged) {
  const Value in = layer_norm(b, x, seed);
  const Value q = split(b, b.matmul(in, matrix(b, kWidth, kWidth, seed + 2)));
  const Value k = split(b, b.matmul(in, matrix(b, kWidth, kWidth, seed + 3)));
  const Value v = split(b, b.matmul(in, matrix(b, kWidth, kWidth, seed + 4)));
  const Value weights = b.op("softmax", {b.matmul(q, k, false, true)}, {{"axis", ints({3})}});
  Value heads = b.matmul(weights, v);
  const Value projection = matrix(b, kWidth, kWidth, seed + 5);
  if (merged) {
    heads = b.reshape(b.transpose(heads, {2, 0, 1, 3}), {Dim(0, kTokens), kWidth});
    heads = b.transpose(b.reshape(b.matmul(heads, projection), {kTokens, kBatch, kWidth}), {1, 0, 2});
  } else {
    heads = b.matmul(b.reshape(b.transpose(heads, {0, 2, 1, 3}), {kBatch, kTokens, kWidth}), projection);
  }
  const Value sum = b.add(x, heads);
  const Value wide = b.op("tanh", {b.matmul(layer_norm(b, sum, seed + 6), matrix(b, kWidth, 9, seed + 8))});
  return b.add(sum, b.matmul(wide, matrix(b, 9, kWidth, seed + 9)));
}

Graph classifier(bool merged, bool gathered, int64_t place) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
  Value y = block(b, block(b, x, 10, merged), 30, merged);
  y = layer_norm(b, y, 50);
  y = gathered ? b.op("gather", {y, b.integers({place}, {})}, {{"axis", ints({1})}})
               : b.reshape(b.slice(y, 1, place, 1), {kBatch, kWidth});
  b.output("logits", b.matmul(y, matrix(b, kWidth, 4, 60)));
  return graph;
}

int64_t products(const Graph& graph) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.op->name == "matmul"; });
}

// Multiply-adds of all products, for two rows.
int64_t work(const Graph& graph) {
  int64_t sum = 0;
  for (const Node& node : graph.nodes) {
    if (node.op->name != "matmul") continue;
    const Dims& left = graph[node.inputs[0]].type.shape;
    sum += product(node.type.shape).at(2) * left[left.size() - (node.attributes.flag("transpose_a") ? 2 : 1)].at(2);
  }
  return sum;
}

void expect_same(const Graph& a, const Graph& b, const Tensor& x) {
  const Tensor whole = interpret(a, {{"x", x}}, 2)[0], narrow = interpret(b, {{"x", x}}, 2)[0];
  ASSERT_EQ(whole.shape(), narrow.shape());
  // The same sums of the same numbers.
  for (int64_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole.at(i), narrow.at(i), 1e-12);
}

TEST(NeededPlaces, TheLastBlockIsOfOneToken) {
  const Tensor x = random_tensor({2, kTokens, kWidth}, 9);
  for (const bool merged : {false, true}) {
    for (const bool gathered : {false, true}) {
      for (const int64_t place : {0, 3}) {
        const Graph graph = classifier(merged, gathered, place), narrow = only_needed_places(graph);
        expect_same(graph, narrow, x);
        EXPECT_EQ(products(narrow), products(graph));  // nothing is computed twice
        // Of the last block, keys and values remain: queries, attention, projection and both layers are of one token.
        const int64_t all = kTokens * kWidth * kWidth, of_one = kWidth * kWidth;
        const int64_t attention = 2 * kTokens * kTokens * kWidth, wide = 2 * kWidth * 9;
        const int64_t spared = 2 * (2 * (all - of_one) + attention - attention / kTokens + (kTokens - 1) * wide);
        EXPECT_EQ(work(graph) - work(narrow), spared) << merged << gathered << place;
      }
    }
  }
}

TEST(NeededPlaces, AlsoFromTheEnd) {
  const Tensor x = random_tensor({2, kTokens, kWidth}, 9);
  const Graph graph = classifier(true, true, -1), narrow = only_needed_places(graph);
  expect_same(graph, narrow, x);
  EXPECT_LT(work(narrow), work(graph));
}

TEST(NeededPlaces, WhatOthersNeedWholeStays) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
  const Value inner = b.op("tanh", {b.matmul(x, matrix(b, kWidth, 3, 1))});
  const Value first = b.slice(inner, 1, 0, 1), all = b.reduce("reduce_sum", inner, {1}, true);
  b.output("y", b.add(first, all));
  const Graph narrow = only_needed_places(graph);
  EXPECT_EQ(work(narrow), work(graph));
  expect_same(graph, narrow, random_tensor({2, kTokens, kWidth}, 9));
}

TEST(NeededPlaces, SlicesOfSlicesAndOtherAxes) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
  const Value inner = b.op("tanh", {b.matmul(x, matrix(b, kWidth, 7, 1))});
  const Value some = b.slice(b.op("exp", {b.slice(inner, 1, 1, 3)}), 1, 1, 2);  // places 2 and 3
  b.output("y", b.slice(some, 2, 4, 2));
  const Graph narrow = only_needed_places(graph);
  EXPECT_EQ(work(narrow), 2 * 2 * 7 * kWidth);
  expect_same(graph, narrow, random_tensor({2, kTokens, kWidth}, 9));
}

// An axis that is added up over, or that a convolution slides along, is cut behind it.
TEST(NeededPlaces, PlacesThatMeetAreNotParted) {
  for (const int64_t axis : {1, 2}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
    b.output("y", b.slice(b.op("softmax", {x}, {{"axis", ints({axis})}}), 1, 3, 1));
    expect_same(graph, only_needed_places(graph), random_tensor({2, kTokens, kWidth}, 9));
  }
}

TEST(NeededPlaces, ReshapesThatTearPlacesApartAreLeft) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
  const Value torn = b.reshape(b.op("exp", {x}), {kBatch, 3, 10});  // a place of 10 is not a whole number of 6
  b.output("y", b.slice(torn, 1, 1, 1));
  expect_same(graph, only_needed_places(graph), random_tensor({2, kTokens, kWidth}, 9));
}

}  // namespace
}  // namespace ascribe::core
