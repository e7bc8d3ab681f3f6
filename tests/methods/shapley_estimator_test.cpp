// The estimators of Shapley values as settings of the method (tests/game/shapley_estimators_test.cpp has their own
// tests).
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "methods/method.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Graph network(int64_t inputs) {
  Graph graph;
  SmallNetwork net(graph);
  const Value x = net.b.input("x", {Kind::real, {kBatch, inputs}});
  const Value hidden = net.b.op("tanh", {net.dense(x, inputs, 12)});
  net.b.output("y", net.dense(net.b.op("tanh", {net.dense(hidden, 12, 8)}), 8, 1));
  return graph;
}

Attribution answer(int64_t inputs, const Settings& settings, uint64_t seed = 0) {
  ExplainedModel model = double_model(network(inputs));
  const Method& method = method_named("shapley");
  const Question question = ask_about(random_tensor({1, inputs}, 7, 2));
  return attribute(method, model, std::span(&question, 1), Parameters("shapley", method.parameters, settings), seed)[0];
}

TEST(ShapleyEstimator, EvaluatesAsManyCoalitionsAsPermutationsWould) {
  for (const char* estimator : {"permutations", "leverage", "proxy"}) {
    const Attribution a = answer(14, {{"exact", "0"}, {"samples", "20"}, {"estimator", estimator}});
    EXPECT_EQ(a.evaluations, 20 * 13 + 2) << estimator;
    EXPECT_FALSE(a.exact);
    EXPECT_EQ(a.standard_errors.size(), 14U);
    EXPECT_NEAR(std::accumulate(a.values.begin(), a.values.end(), 0.0), a.output - a.baseline_output, 1e-12);
  }
}

TEST(ShapleyEstimator, IsCloserThanPermutationsAndSaysHowClose) {
  const Attribution truth = answer(14, {{"exact", "14"}});
  std::map<std::string, double> errors;
  double covered = 0;
  const uint64_t seeds = 6;
  for (const char* estimator : {"permutations", "leverage", "proxy"}) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      const Attribution a = answer(14, {{"exact", "0"}, {"samples", "40"}, {"estimator", estimator}}, seed);
      const std::vector<double> widths = a.intervals();
      for (size_t i = 0; i < a.values.size(); ++i) {
        errors[estimator] += std::pow(a.values[i] - truth.values[i], 2);
        if (estimator == std::string("proxy") && std::abs(a.values[i] - truth.values[i]) <= widths[i]) ++covered;
      }
    }
  }
  EXPECT_LT(errors["leverage"], errors["permutations"]);
  EXPECT_LT(errors["proxy"], errors["leverage"] / 2);
  EXPECT_GT(covered / (14.0 * seeds), 0.85);
}

TEST(ShapleyEstimator, IsExactWhereItWouldTakeAllCoalitions) {
  for (const char* estimator : {"leverage", "proxy"}) {
    for (const int64_t inputs : {1, 2, 3, 6}) {
      const Attribution truth = answer(inputs, {}), a = answer(inputs, {{"exact", "0"}, {"estimator", estimator}});
      EXPECT_TRUE(a.exact) << inputs;
      EXPECT_EQ(a.values, truth.values);
    }
  }
}

TEST(ShapleyEstimator, RefusesATolerance) {
  EXPECT_THROW(answer(14, {{"exact", "0"}, {"estimator", "proxy"}, {"tolerance", "0.1"}}), Error);
  EXPECT_THROW(answer(14, {{"exact", "0"}, {"estimator", "guess"}}), Error);
}

}  // namespace
}  // namespace ascribe::core
