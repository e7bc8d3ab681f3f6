// The sanity check with random weights.
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Question about_image(uint64_t seed) {
  return {{random_tensor({1, 1, 4, 4}, seed)}, 1, Tensor(DType::f64, {1, 1, 4, 4}), pixel_players(4, 4)};
}

// f = w x for 16 elements.
Graph linear(const Tensor& weights) {
  Graph graph;
  Builder b(graph);
  const Value flat = b.reshape(b.input("x", {Kind::real, {kBatch, 1, 4, 4}}), {kBatch, 16});
  b.output("y", b.matmul(flat, b.constant(weights)));
  return graph;
}

std::vector<double> sizes(const Attribution& a) {
  std::vector<double> result;
  for (const double value : a.values) result.push_back(std::fabs(value));
  return result;
}

// The network with the weights of its last `layers` dense layers drawn from themselves.
Graph randomised(Graph graph, uint64_t seed, uint64_t layers) {
  uint64_t done = 0;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend() && done < layers; ++node) {
    if (node->op->name != "matmul") continue;
    Tensor& weights = graph[node->inputs[1]].constant;
    const Tensor before = weights;
    for (int64_t i = 0; i < before.size(); ++i) {
      const uint64_t from =
          Random(seed, 97 + (done << 8)).below(static_cast<uint64_t>(i), static_cast<uint64_t>(before.size()));
      weights.mutable_data<double>()[i] = before.at(static_cast<int64_t>(from));
    }
    ++done;
  }
  return graph;
}

TEST(ParameterRandomisation, OfWeightsThatAreAllAlikeChangesNothing) {
  Question question = about_image(1);
  question.target = 0;
  Tensor weights(DType::f64, {16, 1});
  for (double& w : weights.mutable_data<double>()) w = 2;
  Scoring scoring(linear(weights), {question});
  scoring.add("gradient_x_input");
  scoring.add("gradient");
  const Scores scores = scoring.score("parameter_randomisation");
  EXPECT_NEAR(scores[0][0].value, 1, 1e-15);
  EXPECT_EQ(scores[1][0].undefined, "all values have the same size, for the network or for the randomised one");
}

TEST(ParameterRandomisation, OfALinearFunctionsGradientIsNearZeroInTheMean) {
  Question question = about_image(1);
  question.target = 0;
  Scoring scoring(linear(random_tensor({16, 1}, 3)), {question});
  scoring.add("gradient");
  double mean = 0;
  for (scoring.seed = 0; scoring.seed < 60; ++scoring.seed) mean += scoring.first("parameter_randomisation") / 60;
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(15.0 * 60));  // four standard errors of 60 correlations of 16 numbers
}

TEST(ParameterRandomisation, AgreesWithAskingTheRandomisedNetwork) {
  const Graph graph = small_mlp("sigmoid");
  Scoring scoring(graph, {about_image(1), about_image(2)});
  const std::vector<std::string> names = {"gradient", "integrated_gradients", "occlusion"};
  for (const std::string& name : names) scoring.add(name);
  const Scores all = scoring.score("parameter_randomisation");
  const Scores cascade = scoring.score("parameter_randomisation", {{"mode", "cascade"}});
  const Scores grouped = scoring.score("parameter_randomisation", {{"mode", "cascade"}, {"stages", "2"}});
  for (size_t m = 0; m < names.size(); ++m) {
    for (size_t q = 0; q < 2; ++q) {
      const std::vector<double> ranks = slow_ranks(sizes(scoring.attribution(m, q)));
      std::vector<double> expected;
      for (const uint64_t layers : {1, 2, 3}) {
        const Attribution other =
            ask(names[m], randomised(graph, scoring.seed, layers), scoring.questions[q], {}, scoring.seed);
        expected.push_back(slow_correlation(ranks, slow_ranks(sizes(other))));
      }
      EXPECT_NEAR(all[m][q].value, expected[2], 1e-12);
      expect_values(cascade[m][q].curve, expected, 1e-12);
      expect_values(cascade[m][q].positions, {1.0 / 3, 2.0 / 3, 1}, 1e-15);
      EXPECT_NEAR(cascade[m][q].value, (expected[0] + expected[1] + expected[2]) / 3, 1e-12);
      expect_values(grouped[m][q].curve, {expected[1], expected[2]}, 1e-12);
    }
  }
}

TEST(ParameterRandomisation, LeavesTheNetworkAsItWas) {
  Scoring scoring(small_cnn(), {about_image(1)});
  scoring.add("gradient");
  const Tensor before = scoring.model.outputs(scoring.questions[0].point);
  scoring.score("parameter_randomisation");
  expect_near(scoring.model.outputs(scoring.questions[0].point), before, 0);
}

TEST(ParameterRandomisation, RefusesNetworksWithoutWeights) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.reduce("reduce_sum", b.input("x", {Kind::real, {kBatch, 3}}), {1}, false));
  Scoring scoring(graph, {ask_about(random_tensor({1, 3}, 2))});
  scoring.add("gradient_x_input");
  expect_error(ErrorKind::unsupported, "no layer with weights", [&] { scoring.score("parameter_randomisation"); });
}

}  // namespace
}  // namespace ascribe::core
