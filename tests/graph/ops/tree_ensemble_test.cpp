#include "graph/tree_ensemble.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/session.h"
#include "support/errors.h"
#include "support/ops.h"
#include "support/random_trees.h"

namespace ascribe::core {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

double at_stump(TreeTest test, double threshold, double x, bool missing_yes = false) {
  TreeEnsemble trees = stump(1, 0);
  trees.nodes[0].test = test;
  trees.nodes[0].threshold = threshold;
  trees.nodes[0].missing_yes = missing_yes;
  return apply_op("tree_ensemble", {Tensor::of<double>({1, 1}, {x})}, tree_attributes(trees)).at(0);
}

TEST(TreeEnsemble, EveryTestOnBothSidesOfItsThreshold) {
  const std::vector<std::pair<TreeTest, std::array<double, 3>>> expected = {
      {TreeTest::leq, {1, 1, 0}}, {TreeTest::lt, {1, 0, 0}}, {TreeTest::gte, {0, 1, 1}},
      {TreeTest::gt, {0, 0, 1}},  {TreeTest::eq, {0, 1, 0}}, {TreeTest::neq, {1, 0, 1}}};
  for (const auto& [test, values] : expected) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(at_stump(test, 2, i + 1), values[static_cast<size_t>(i)]) << static_cast<int>(test) << " " << i;
    }
  }
}

TEST(TreeEnsemble, NanFailsEveryTestButUnequalUnlessTheNodeSendsItToYes) {
  for (const TreeTest test : {TreeTest::leq, TreeTest::lt, TreeTest::gte, TreeTest::gt, TreeTest::eq}) {
    EXPECT_EQ(at_stump(test, 2, kNan), 0);
    EXPECT_EQ(at_stump(test, 2, kNan, true), 1);
  }
  EXPECT_EQ(at_stump(TreeTest::neq, 2, kNan), 1);
}

TEST(TreeEnsemble, MembersOfASet) {
  TreeEnsemble trees = stump(1, 0);
  trees.nodes[0].test = TreeTest::member;
  trees.nodes[0].set = 0;
  trees.sets = {{1, 4}};
  const Tensor x = Tensor::of<double>({4, 1}, {1, 2, 4, kNan});
  const Tensor y = apply_op("tree_ensemble", {x}, tree_attributes(trees));
  EXPECT_EQ((std::vector<double>{y.at(0), y.at(1), y.at(2), y.at(3)}), (std::vector<double>{1, 0, 1, 0}));
}

// 0.1 in float is above 0.1: a file in float rounds the row first, one in double does not.
TEST(TreeEnsemble, ComparesInThePrecisionOfTheFile) {
  TreeEnsemble trees = stump(1, 0);
  trees.nodes[0].threshold = static_cast<double>(0.1F);
  const double above = std::nextafter(static_cast<double>(0.1F), 1.0);
  const auto run = [&](bool single) {
    trees.single = single;
    return apply_op("tree_ensemble", {Tensor::of<double>({1, 1}, {above})}, tree_attributes(trees)).at(0);
  };
  EXPECT_EQ(run(true), 1);
  EXPECT_EQ(run(false), 0);
}

TEST(TreeEnsemble, Aggregates) {
  TreeEnsemble trees = stump(2, 5);
  trees.nodes.push_back(trees.nodes[0]);
  trees.roots.push_back(1);
  trees.nodes[1].yes = ~1;
  trees.nodes[1].no = ~0;
  trees.base = {10};
  settle(trees, "test");
  const std::vector<std::pair<TreeAggregate, double>> expected = {
      {TreeAggregate::sum, 17}, {TreeAggregate::average, 13.5}, {TreeAggregate::min, 12}, {TreeAggregate::max, 15}};
  for (const auto& [aggregate, value] : expected) {
    trees.aggregate = aggregate;
    EXPECT_EQ(apply_op("tree_ensemble", {Tensor::of<double>({1, 1}, {-1})}, tree_attributes(trees)).at(0), value);
  }
}

TEST(TreeEnsemble, TheKernelGivesWhatTheReferenceDoes) {
  for (const DType real : {DType::f32, DType::f64}) {
    for (const TreeAggregate aggregate :
         {TreeAggregate::sum, TreeAggregate::average, TreeAggregate::min, TreeAggregate::max}) {
      TreeEnsemble trees = random_trees(9, 4, 5, 3, 2);
      trees.aggregate = aggregate;
      Tensor x(DType::f64, {150, 5});
      for (int64_t r = 0; r < 150; ++r) {
        const std::vector<double> row = random_row(5, static_cast<uint64_t>(r));
        std::copy(row.begin(), row.end(), x.mutable_data<double>().begin() + r * 5);
      }
      x.mutable_data<double>()[7] = kNan;
      Session session(tree_graph(trees, 5), {.real = real});
      const Tensor got = session.run(std::array{x})[0];
      const Tensor expected = apply_op("tree_ensemble", {x}, tree_attributes(trees));
      for (int64_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(got.at(i), expected.at(i), real == DType::f32 ? 1e-5 : 1e-14);
      }
    }
  }
}

TEST(TreeEnsemble, RowsWithTooFewColumnsAreRefused) {
  expect_error(ErrorKind::model, "the trees compare column 4", [] {
    TreeEnsemble trees = stump(1, 0);
    trees.nodes[0].column = 4;
    settle(trees, "test");
    tree_graph(trees, 3);
  });
}

void expect_unsettled(const std::string& words, const std::function<void(TreeEnsemble&)>& spoil) {
  TreeEnsemble trees = stump(1, 0);
  spoil(trees);
  expect_error(ErrorKind::model, words, [&] { settle(trees, "trees"); });
}

TEST(TreeEnsemble, WhatIsNoTreeIsRefused) {
  expect_unsettled("reached twice", [](TreeEnsemble& t) { t.nodes[0].yes = 0; });
  expect_unsettled("there is no node 7", [](TreeEnsemble& t) { t.nodes[0].yes = 7; });
  expect_unsettled("there is no leaf 9", [](TreeEnsemble& t) { t.nodes[0].no = ~9; });
  expect_unsettled("reached twice", [](TreeEnsemble& t) { t.roots.push_back(0); });
  expect_unsettled("target 3", [](TreeEnsemble& t) { t.weight_target[0] = 3; });
  expect_unsettled("not finite", [](TreeEnsemble& t) { t.weight[0] = kNan; });
  expect_unsettled("column -1", [](TreeEnsemble& t) { t.nodes[0].column = -1; });
  expect_unsettled("deeper than", [](TreeEnsemble& t) {
    for (int i = 1; i <= kDeepestTree; ++i) {
      t.nodes[static_cast<size_t>(i) - 1].yes = i;
      t.nodes.push_back({.yes = ~0, .no = ~1});
    }
  });
}

}  // namespace
}  // namespace ascribe::core
