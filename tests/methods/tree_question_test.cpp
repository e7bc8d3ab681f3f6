// Questions about trees in a network: scaled columns in front of them, sums behind them, and what is too much.
#include "methods/tree_question.h"

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/errors.h"
#include "support/random_trees.h"
#include "support/slow_games.h"

namespace ascribe::core {
namespace {

constexpr int kColumns = 5;

// Columns are scaled and shifted one by one, reversed, and go to two ensembles; their outputs are mixed.
Graph network(bool bent = false, bool mixed_columns = false) {
  Graph graph;
  Builder b(graph);
  Value x = b.input("x", {Kind::real, {kBatch, kColumns}}, "float64");
  if (mixed_columns)
    x = b.matmul(x, b.constant(Tensor::of<double>({kColumns, kColumns}, std::vector<double>(25, 0.5))));
  const Value scaled = b.add(b.mul(x, b.constant(Tensor::of<double>({kColumns}, {2, -1, 0.5, 1, 3}))), 1.0);
  const Value reversed = b.op("gather", {scaled, b.integers({4, 3, 2, 1, 0})}, {{"axis", ints({1})}});
  TreeEnsemble first = random_trees(5, 3, kColumns, 1, 2), second = random_trees(4, 3, kColumns, 2, 2);
  second.aggregate = TreeAggregate::average;
  b.set_name("first");
  const Value a = b.op("tree_ensemble", {reversed}, tree_attributes(first));
  b.set_name("second");
  const Value c = b.op("tree_ensemble", {scaled}, tree_attributes(second));
  Value out = b.sub(b.mul(a, 3.0), b.matmul(c, b.constant(Tensor::of<double>({2, 2}, {1, 2, -1, 0.5}))));
  if (bent) out = b.op("tanh", {out});
  b.output("y", out, "float64");
  return graph;
}

Question question(std::vector<int32_t> owner, int64_t players, uint64_t seed, int64_t target) {
  Question q;
  q.point = {Tensor::of<double>({1, kColumns}, random_row(kColumns, seed))};
  q.target = target;
  std::vector<double> rows;
  for (uint64_t r = 0; r < 3; ++r) {
    const std::vector<double> row = random_row(kColumns, 50 + r);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  q.baselines = Tensor::of<double>({3, kColumns}, rows);
  q.players.owner = std::move(owner);
  for (int64_t p = 0; p < players; ++p) q.players.names.push_back(fmt::format("p{}", p));
  return q;
}

std::vector<Attribution> ask(const std::string& name, ExplainedModel& model, const std::vector<Question>& questions) {
  const Method& method = method_named(name);
  return attribute(method, model, questions, Parameters(method.name, method.parameters));
}

TEST(TreeQuestion, ShapleyValuesAreThoseOfTheDefinition) {
  const Graph graph = network();
  ExplainedModel model(graph, {.real = DType::f64});
  const std::vector<Question> questions = {question({0, 1, 2, 3, 4}, 5, 1, 0), question({0, 1, 2, 3, 4}, 5, 2, 1),
                                           question({0, 0, 1, 1, 2}, 3, 3, 1), question({-1, 0, 1, -1, 2}, 3, 4, 0)};
  for (const char* name : {"shapley", "kernel_shap"}) {
    const std::vector<Attribution> answers = ask(name, model, questions);
    for (size_t i = 0; i < questions.size(); ++i) {
      const std::vector<double> expected = slow_shapley(graph, questions[i]);
      EXPECT_TRUE(answers[i].exact);
      EXPECT_EQ(answers[i].evaluations, 4);
      EXPECT_NEAR(answers[i].residual, 0, 1e-12);
      EXPECT_NEAR(answers[i].output, slow_output(graph, questions[i].point[0], questions[i].target), 1e-12);
      for (size_t p = 0; p < expected.size(); ++p) EXPECT_NEAR(answers[i].values[p], expected[p], 1e-11) << name;
    }
  }
}

TEST(TreeQuestion, LeafGamesGiveTheGame) {
  const Graph graph = network();
  ExplainedModel model(graph, {.real = DType::f64});
  const Question q = question({0, 1, 1, 2, 3}, 4, 5, 1);
  const auto trees = trees_of_question(model, q);
  ASSERT_TRUE(trees.has_value());
  for (uint64_t set = 0; set < 16; ++set) {
    std::vector<int64_t> members;
    for (int64_t p = 0; p < 4; ++p) {
      if ((set >> p & 1) != 0) members.push_back(p);
    }
    const auto has = [&](int p) { return (set >> p & 1) != 0; };
    double value = trees->baseline_output;
    for (const LeafGame& game : trees->games) {
      const bool in = std::all_of(game.inside.begin(), game.inside.end(), has) &&
                      std::none_of(game.outside.begin(), game.outside.end(), has);
      value += game.weight * ((in ? 1 : 0) - (game.inside.empty() ? 1 : 0));
    }
    EXPECT_NEAR(value, slow_value(graph, q, members), 1e-11);
  }
}

TEST(TreeQuestion, WhatIsNotLinearBehindTheTreesIsMasked) {
  const Graph graph = network(true);
  ExplainedModel model(graph, {.real = DType::f64});
  const Question q = question({0, 1, 2, 3, 4}, 5, 1, 0);
  EXPECT_FALSE(trees_of_question(model, q).has_value());
  const Attribution answer = ask("shapley", model, {q})[0];
  EXPECT_TRUE(answer.exact);  // of five players, over all coalitions
  const std::vector<double> expected = slow_shapley(graph, q);
  for (size_t p = 0; p < expected.size(); ++p) EXPECT_NEAR(answer.values[p], expected[p], 1e-11);
}

TEST(TreeQuestion, WhatIsSampledSaysWhy) {
  ExplainedModel model(network(true), {.real = DType::f64});
  const Method& method = method_named("shapley");
  const Question q = question({0, 1, 2, 3, 4}, 5, 1, 0);
  const Attribution answer =
      attribute(method, model, std::span(&q, 1), Parameters(method.name, method.parameters, {{"exact", "0"}}))[0];
  EXPECT_FALSE(answer.exact);
  ASSERT_EQ(answer.notes.size(), 1U);
  EXPECT_NE(answer.notes[0].find("could not be taken apart"), std::string::npos);
}

TEST(TreeQuestion, ColumnsOfSeveralPlayersAreMasked) {
  const Graph graph = network(false, true);
  ExplainedModel model(graph, {.real = DType::f64});
  EXPECT_FALSE(trees_of_question(model, question({0, 1, 2, 3, 4}, 5, 1, 0)).has_value());
}

// ... unless they are all of one: then it does not matter what is done with them.
TEST(TreeQuestion, ColumnsMixedWithinOnePlayerAreNot) {
  const Graph graph = network(false, true);
  ExplainedModel model(graph, {.real = DType::f64});
  const Question q = question({0, 0, 0, 0, 0}, 1, 1, 0);
  ASSERT_TRUE(trees_of_question(model, q).has_value());
  EXPECT_NEAR(ask("shapley", model, {q})[0].values[0], slow_value(graph, q, {0}) - slow_value(graph, q, {}), 1e-11);
}

TEST(TreeQuestion, DerivativesAreRefusedNamingTheTrees) {
  ExplainedModel model(network(), {.real = DType::f64});
  const std::vector<Question> questions = {question({0, 1, 2, 3, 4}, 5, 1, 0)};
  for (const char* name : {"gradient", "integrated_gradients", "lrp_epsilon", "deeplift_rescale", "deep_taylor"}) {
    expect_error(ErrorKind::unsupported, "decision trees are constant between their thresholds",
                 [&] { ask(name, model, questions); });
  }
  EXPECT_NE(std::string(error_of([&] { ask("gradient", model, questions); })->what()).find("node '"),
            std::string::npos);
}

TEST(TreeQuestion, MaskingMethodsWork) {
  const Graph graph = network();
  ExplainedModel model(graph, {.real = DType::f64});
  const Question q = question({0, 1, 2, 3, 4}, 5, 1, 0);
  const double all = slow_value(graph, q, {0, 1, 2, 3, 4});
  for (const char* name : {"occlusion", "feature_ablation"}) {
    EXPECT_NEAR(ask(name, model, {q})[0].values[2], all - slow_value(graph, q, {0, 1, 3, 4}), 1e-11) << name;
  }
  for (const char* name : {"lime", "prediction_difference"})
    EXPECT_EQ(ask(name, model, {q})[0].values.size(), 5U) << name;
}

}  // namespace
}  // namespace ascribe::core
