#include "methods/foreign.h"

#include "support/ask.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

// f = x0 x1 + x2.
Graph product() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  const auto column = [&](int64_t i) { return b.slice(x, 1, i, 1); };
  b.output("y", b.add(b.mul(column(0), column(1)), column(2)));
  return graph;
}

const Tensor kX = Tensor::of<double>({1, 3}, {3, 4, 2});

std::vector<Attribution> asked(const Method& method, const std::vector<Question>& questions) {
  ExplainedModel model = double_model(product());
  return attribute(method, model, questions, Parameters(method.name, method.parameters));
}

TEST(ForeignMethod, ValuesOfElementsAreAddedUpPerPlayer) {
  const auto method = own_method("mine", [](ExplainedModel&, const Question&) { return std::vector<double>{1, 2, 4}; });
  Question question = ask_about(kX);
  question.players.owner = {0, 0, 1};
  question.players.names = {"a", "b"};
  const Attribution answer = asked(*method, {question})[0];
  expect_values(answer.values, {3, 4}, 0);
  EXPECT_EQ(answer.output, 14);
  EXPECT_EQ(answer.residual, 7);
  EXPECT_FALSE(answer.of_players);
}

TEST(ForeignMethod, ValuesOfPlayersAreTakenAsTheyAre) {
  const auto method = own_method("mine", [](ExplainedModel&, const Question&) { return std::vector<double>{5, 7}; });
  Question question = ask_about(kX);
  question.players.owner = {0, 0, 1};
  question.players.names = {"a", "b"};
  const Attribution answer = asked(*method, {question})[0];
  expect_values(answer.values, {5, 7}, 0);
  EXPECT_TRUE(answer.of_players);
}

TEST(ForeignMethod, WhatDoesNotFitOrIsNotFiniteIsRefused) {
  const auto few = own_method("few", [](ExplainedModel&, const Question&) { return std::vector<double>{1, 2}; });
  expect_error(ErrorKind::shape, "[few] got 2 numbers", [&] { asked(*few, {ask_about(kX)}); });
  const auto bad = own_method("bad", [](ExplainedModel&, const Question&) { return std::vector<double>{1, NAN, 0}; });
  expect_error(ErrorKind::numeric, "[bad] number 1 is not a number", [&] { asked(*bad, {ask_about(kX)}); });
  expect_error(ErrorKind::argument, "no function", [] { own_method("none", nullptr); });
}

TEST(ForeignMethod, GivenNumbersBelongToTheRowsThatAreAskedAboutFirst) {
  const Tensor other = Tensor::of<double>({1, 3}, {1, 1, 1});
  const auto method = given_attribution("theirs", {{1, 2, 3}, {4, 5, 6}});
  const auto first = asked(*method, {ask_about(kX), ask_about(other)});
  expect_values(first[0].values, {1, 2, 3}, 0);
  expect_values(first[1].values, {4, 5, 6}, 0);
  expect_values(asked(*method, {ask_about(other)})[0].values, {4, 5, 6}, 0);  // asked again
  expect_error(ErrorKind::unsupported, "say nothing of other inputs", [&] {
    asked(*method, {ask_about(Tensor::of<double>({1, 3}, {0, 0, 0}))});
  });
}

}  // namespace
}  // namespace ascribe::core
