// 95 % intervals hold the true value 95 times in a hundred: over many seeds, against values that are known exactly.
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "game/estimators/estimate.h"
#include "game/interaction_index.h"
#include "methods/method.h"
#include "methods/spread.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Graph network(const std::string& activation, int64_t inputs) {
  Graph graph;
  SmallNetwork net(graph);
  const Value x = net.b.input("x", {Kind::real, {kBatch, inputs}});
  const Value hidden = net.b.op(activation, {net.b.mul(net.dense(x, inputs, 12), 2)});
  net.b.output("y", net.dense(net.b.op(activation, {net.dense(hidden, 12, 8)}), 8, 1));
  return graph;
}

struct Coverage {
  double share = 0;   // of the intervals that hold the truth
  double errors = 0;  // of 1.96 standard errors that do
};

Coverage coverage(const std::string& name, const Graph& graph, const Question& question, const Settings& settings,
                  const std::vector<double>& truth, uint64_t seeds) {
  ExplainedModel model = double_model(graph);
  const Method& method = method_named(name);
  const Parameters parameters(name, method.parameters, settings);
  double inside = 0, near = 0, all = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Attribution a = attribute(method, model, std::span(&question, 1), parameters, seed)[0];
    const std::vector<double> widths = a.intervals();
    for (size_t p = 0; p < truth.size(); ++p) {
      const double distance = std::abs(a.values[p] - truth[p]);
      all += 1;
      inside += distance <= widths[p] ? 1 : 0;
      near += distance <= 1.96 * a.standard_errors[p] ? 1 : 0;
    }
  }
  return {inside / all, near / all};
}

const std::vector<std::string> kActivations = {"tanh", "relu", "sigmoid"};
const Question kQuestion = ask_about(random_tensor({1, 8}, 7, 2));

// 500 seeds and eight players, whose errors depend on each other: as many as 2000 independent ones or more, so that a
// share of 95 % is known to 0.5 % and lies within three times that. With few pairs the draws are too far from normal
// for any quantile; what is left then is what t can do.
TEST(Intervals, OfShapleyValuesHoldTheTruthNinetyFiveTimesInAHundred) {
  for (const std::string& activation : kActivations) {
    const Graph graph = network(activation, 8);
    const std::vector<double> truth = ask("shapley", graph, kQuestion).values;
    const auto with = [&](const std::string& samples) {
      return coverage("shapley", graph, kQuestion, {{"exact", "0"}, {"samples", samples}}, truth, 500);
    };
    const Coverage usual = with("64"), half = with("32"), few = with("8");
    EXPECT_GT(usual.share, 0.935) << activation;
    EXPECT_LT(usual.share, 0.965) << activation;
    EXPECT_GT(half.share, 0.925) << activation;
    EXPECT_LT(half.errors, 0.93) << activation << ": 1.96 standard errors are too few";
    EXPECT_GT(few.share, 0.9) << activation;
    EXPECT_LT(few.errors, 0.87) << activation;
  }
}

TEST(Intervals, OfDrawnBaselinesHoldTheTruthNinetyFiveTimesInAHundred) {
  const Question background = ask_about(random_tensor({1, 8}, 7, 2), random_tensor({60, 8}, 9, 1));
  for (const std::string& activation : kActivations) {
    const Graph graph = network(activation, 8);
    const Settings many{{"distribution", "gaussian"}, {"samples", "20000"}},
        few{{"distribution", "gaussian"}, {"samples", "32"}};
    const std::vector<double> truth = ask("prediction_difference", graph, kQuestion, many, 999).values;
    const Coverage difference = coverage("prediction_difference", graph, kQuestion, few, truth, 300);
    EXPECT_NEAR(difference.share, 0.95, 0.015) << activation;
    const std::vector<double> all = ask("expected_gradients", graph, background).values;
    const Coverage expected =
        coverage("expected_gradients", graph, background, {{"samples", "32"}, {"steps", "16"}}, all, 300);
    EXPECT_NEAR(expected.share, 0.95, 0.015) << activation;
  }
}

// The residuals of a regression are those of a fit, and its coalitions are few beside its unknowns.
TEST(Intervals, OfRegressionsAreNearlyAsGood) {
  for (const std::string& activation : kActivations) {
    const Graph graph = network(activation, 8);
    const std::vector<double> truth = ask("shapley", graph, kQuestion).values;
    const std::vector<double> slopes = ask("lime", graph, kQuestion, {{"samples", "256"}}).values;
    EXPECT_NEAR(coverage("kernel_shap", graph, kQuestion, {{"samples", "128"}}, truth, 500).share, 0.945, 0.02);
    EXPECT_NEAR(coverage("lime", graph, kQuestion, {{"samples", "128"}}, slopes, 500).share, 0.945, 0.02);
  }
}

// Games of random values: dividends of all orders.
TEST(Intervals, OfSampledIndicesHoldTheTruthNinetyFiveTimesInAHundred) {
  constexpr int kPlayers = 6;
  std::vector<double> values(size_t{1} << kPlayers);
  for (size_t i = 0; i < values.size(); ++i) values[i] = Random(3).normal(i);
  for (const auto& [index, budget] : {std::pair("sii", 4000), std::pair("stii", 700), std::pair("fsii", 400)}) {
    Game whole = table_game(values);
    const Effects exact = compute_index(index_named(index), exact_dividends(whole, size_t{1} << 30), 2);
    double inside = 0, all = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
      Game game = table_game(values);
      const Estimate estimate = estimate_index(index, game, {.budget = budget, .seed = seed, .progress = {}});
      const std::vector<double> widths = half_widths(estimate.standard_errors, estimate.degrees_of_freedom);
      for (size_t i = 0; i < widths.size(); ++i) {
        inside += std::abs(estimate.effects.effects[i].value - exact.effects[i].value) <= widths[i] + 1e-12 ? 1 : 0;
        all += 1;
      }
    }
    EXPECT_NEAR(inside / all, 0.95, 0.02) << index;
  }
}

TEST(Intervals, OfOneDrawAreUnknownAndOfNoneEmpty) {
  EXPECT_TRUE(std::isinf(half_widths(std::vector{0.5}, 0)[0]));
  EXPECT_EQ(half_widths(std::vector{0.0}, 0)[0], 0) << "nothing varies";
  EXPECT_TRUE(Attribution().intervals().empty());
  const Attribution exact = ask("shapley", network("tanh", 8), kQuestion);
  EXPECT_TRUE(exact.intervals().empty());
}

}  // namespace
}  // namespace ascribe::core
