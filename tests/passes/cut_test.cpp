// Models entered at a node.
#include "passes/cut.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "passes/canonicalize.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Tokens and places are looked up; with `beside`, a weight is made of the ids themselves too.
Graph small_text(bool beside = false) {
  Graph graph;
  Builder b(graph);
  const Value mask = b.input("mask", {Kind::integer, {kBatch, 3}}, "int64");
  const Value ids = b.input("ids", {Kind::integer, {kBatch, 3}}, "int64");
  b.set_name("places");
  const Value places =
      b.op("gather", {b.constant(random_tensor({3, 2}, 4)), b.constant(Tensor::of<int64_t>({3}, {0, 1, 2}))},
           {{"axis", ints({0})}});
  b.set_name("kinds");
  const Value kinds = b.op("gather", {b.constant(random_tensor({5, 2}, 5)), b.op("minimum", {ids, b.integer(4)})},
                           {{"axis", ints({0})}});
  b.set_name("words");
  const Value words = b.op("gather", {b.constant(random_tensor({9, 2}, 6)), ids}, {{"axis", ints({0})}});
  b.set_name("sum");
  Value sum = b.add(b.add(words, kinds), places);
  b.set_name("weighed");
  Value weight = b.cast(mask, Kind::real);
  if (beside) weight = b.mul(weight, b.cast(ids, Kind::real));
  sum = b.mul(sum, b.reshape(weight, {kBatch, 3, 1}));
  b.set_name("end");
  b.output("y", b.reduce("reduce_sum", b.op("tanh", {sum}), {1}, false));
  return graph;
}

const Tensor kIds = Tensor::of<int64_t>({2, 3}, {7, 0, 3, 8, 8, 1});
const Tensor kMask = Tensor::of<int64_t>({2, 3}, {1, 1, 1, 1, 0, 1});

void expect_same(const Graph& graph, Value value) {
  const Tensor whole = interpret(graph, {{"ids", kIds}, {"mask", kMask}}, 2)[0];
  const Cut cut = cut_at(graph, value, 1);
  const Tensor inside = interpret(cut.before, {{"ids", kIds}, {"mask", kMask}}, 2)[0];
  const Tensor behind = interpret(cut.behind, {{"ids", inside}, {"ids_beside", kIds}, {"mask", kMask}}, 2)[0];
  expect_near(behind, whole, 0);  // the same operations in the same order
  const Graph again = joined(cut, cut.behind);
  expect_near(interpret(again, {{"ids", kIds}, {"mask", kMask}}, 2)[0], whole, 0);
  // Ports come in the order of the nodes, on which passes rely.
  const Graph rebuilt = canonicalize(cut.behind);
  ASSERT_EQ(rebuilt.inputs.size(), cut.behind.inputs.size());
  for (size_t i = 0; i < rebuilt.inputs.size(); ++i) EXPECT_EQ(rebuilt.inputs[i].name, cut.behind.inputs[i].name);
}

TEST(Cut, IsTheSameModelInTwoParts) {
  for (const bool beside : {false, true}) {
    const Graph graph = small_text(beside);
    for (const char* name : {"words", "kinds", "sum", "weighed", "end"}) {
      const auto value = node_named(graph, name);
      ASSERT_TRUE(value) << name;
      expect_same(graph, *value);
    }
  }
}

TEST(Cut, KeepsTheInputsThatAreReadAllTheSame) {
  const Graph plain = small_text(), beside = small_text(true);
  const Cut all = cut_at(plain, *node_named(plain, "weighed"), 1);
  EXPECT_TRUE(all.kept.empty());
  const Cut some = cut_at(plain, *node_named(plain, "words"), 1);
  EXPECT_EQ(some.kept, (std::vector<size_t>{0, 1}));  // the kinds read the ids
  EXPECT_EQ(some.behind.inputs[0].name, "ids");
  EXPECT_EQ(some.behind.inputs[2].name, "ids_beside");
  EXPECT_EQ(cut_at(plain, *node_named(plain, "sum"), 1).kept, (std::vector<size_t>{0}));
  EXPECT_EQ(cut_at(beside, *node_named(beside, "sum"), 1).kept, (std::vector<size_t>{0, 1}));
}

TEST(Cut, FindsTheTablesOfAnInputTheLargestFirst) {
  const Graph graph = small_text();
  const std::vector<Embedding> found = embeddings_of(graph, 1);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].table, "words");
  EXPECT_EQ(found[0].entries, 9);
  EXPECT_EQ(found[0].width, 2);
  EXPECT_EQ(found[1].table, "kinds");
  EXPECT_TRUE(embeddings_of(graph, 0).empty());
}

// As RoBERTa counts positions: what is looked up is made of the ids, not the ids.
TEST(Cut, NumbersThatAreMadeOfIdsAreNoTokens) {
  Graph graph;
  Builder b(graph);
  const Value ids = b.input("ids", {Kind::integer, {kBatch, 3}}, "int64");
  const Value places = b.op("add", {ids, b.integer(1)});
  b.output("y", b.op("gather", {b.constant(random_tensor({9, 2}, 6)), places}, {{"axis", ints({0})}}));
  EXPECT_TRUE(embeddings_of(graph, 0).empty());
}

TEST(Cut, ManyWaysToTheIdsAreWalkedOnce) {
  Graph graph;
  Builder b(graph);
  Value ids = b.input("ids", {Kind::integer, {kBatch, 2}}, "int64");
  for (int i = 0; i < 60; ++i) ids = b.op("maximum", {ids, ids});  // 2^60 paths
  b.output("y", b.op("gather", {b.constant(random_tensor({9, 2}, 6)), ids}, {{"axis", ints({0})}}));
  EXPECT_EQ(embeddings_of(graph, 0).size(), 1U);
}

TEST(Cut, NamesTheNodesThatItCanEnterAt) {
  const std::vector<std::string> names = enterable_nodes(small_text());
  EXPECT_EQ(names, (std::vector<std::string>{"kinds", "words", "sum", "weighed", "end"}));
}

}  // namespace
}  // namespace ascribe::core
