// Metrics that disturb every element: max- and average sensitivity, and infidelity under Gaussian noise.
#include <cmath>

#include <gtest/gtest.h>

#include "base/normals.h"
#include "metrics/draws.h"
#include "metrics/shared_passes.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// f = half of the sum of squares: the gradient is x.
Graph half_square(int64_t size) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, size}});
  b.output("y", b.mul(b.reduce("reduce_sum", b.mul(x, x), {1}, false), 0.5));
  return graph;
}

Question about_image(uint64_t seed) {
  Question question{
      {random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({2, 1, 4, 4}, seed + 50), pixel_players(4, 4)};
  question.players.owner[3] = -1;
  return question;
}

TEST(MaxSensitivity, OfTheGradientOfASquareIsTheRadius) {
  // |x + d - x| / |x| = |d| / 4: its maximum tends to 0.1 / 4, its mean to half of that.
  Scoring scoring(half_square(1), {ask_about(Tensor::of<double>({1, 1}, {-4}))});
  scoring.add("gradient");
  const Settings settings = {{"radius", "0.1"}, {"samples", "2000"}};
  const double most = scoring.first("max_sensitivity", settings);
  EXPECT_LE(most, 0.025);
  EXPECT_NEAR(most, 0.025, 0.025 * 0.01);  // missing more than 1 % with 2000 draws: exp(-20)
  // Four standard errors of the mean of 2000 uniform numbers.
  EXPECT_NEAR(scoring.first("average_sensitivity", settings), 0.0125, 4 * 0.025 / std::sqrt(12 * 2000.0));
}

TEST(MaxSensitivity, OfTheGradientOfALinearFunctionIsZero) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.matmul(b.input("x", {Kind::real, {kBatch, 3}}), b.constant(random_tensor({3, 1}, 1))));
  Scoring scoring(graph, {ask_about(random_tensor({1, 3}, 2))});
  scoring.add("gradient");
  EXPECT_EQ(scoring.first("max_sensitivity"), 0);
  EXPECT_EQ(scoring.first("average_sensitivity"), 0);
}

TEST(Sensitivities, AgreeWithTheDefinitionOneDrawAtATime) {
  const Graph graph = small_cnn(true);
  Scoring scoring(graph, {about_image(1), about_image(2)});
  const std::vector<std::string> names = {"gradient", "gradient_x_input", "occlusion", "smooth_grad"};
  for (const std::string& name : names) scoring.add(name);
  const Settings settings = {{"radius", "0.3"}, {"samples", "4"}};
  const Scores most = scoring.score("max_sensitivity", settings);
  const Scores mean = scoring.score("average_sensitivity", settings);
  scoring.with_input("max_sensitivity", settings, [&](const MetricInput& input) {
    for (size_t m = 0; m < names.size(); ++m) {
      for (size_t q = 0; q < 2; ++q) {
        const Random random = draws_of(input, q, "sensitivity");
        double largest = 0, sum = 0;
        for (uint64_t draw = 0; draw < 4; ++draw) {
          Question moved = scoring.questions[q];
          for (uint64_t i = 0; i < 16; ++i) {
            if (i != 3) moved.point[0].mutable_data<double>()[i] += 0.3 * (2 * random.uniform(draw * 16 + i) - 1);
          }
          const bool players = method_named(names[m]).players;
          const Attribution after = ask(names[m], graph, moved, {}, scoring.seed);
          const Attribution& before = scoring.attribution(m, q);
          const std::vector<double> a = players ? before.values : values_of(before.elements);
          const std::vector<double> b = players ? after.values : values_of(after.elements);
          double change = 0, size = 0;
          for (size_t i = 0; i < a.size(); ++i) {
            if (!players && i == 3) continue;  // nobody's
            change += (b[i] - a[i]) * (b[i] - a[i]);
            size += a[i] * a[i];
          }
          largest = std::max(largest, std::sqrt(change / size));
          sum += std::sqrt(change / size);
        }
        EXPECT_NEAR(most[m][q].value, largest, 1e-10) << names[m];
        EXPECT_NEAR(mean[m][q].value, sum / 4, 1e-10) << names[m];
      }
    }
  });
}

TEST(MaxSensitivity, OfAnAttributionOfZerosIsUndefined) {
  Scoring scoring(half_square(2), {ask_about(Tensor::of<double>({1, 2}, {0, 0}))});
  scoring.add("gradient");
  EXPECT_EQ(scoring.score("max_sensitivity")[0][0].undefined, "all values are zero");
}

TEST(InfidelityGaussian, OfALinearFunctionIsTheVarianceThatIsNotExplained) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.matmul(b.input("x", {Kind::real, {kBatch, 3}}), b.constant(Tensor::of<double>({3, 1}, {3, -2, 1}))));
  Scoring scoring(graph, {ask_about(Tensor::of<double>({1, 3}, {1, 2, 4}), Tensor::of<double>({1, 3}, {0, 1, 4}))});
  scoring.add("gradient");
  scoring.add_elements("gradient_x_input", {{3, -2, 0}});  // the third is at its baseline: its slope counts as 0
  scoring.add_elements("smooth_grad", {{0, 0, 0}});
  const Scores scores = scoring.score("infidelity_gaussian", {{"sigma", "0.5"}, {"perturbations", "5000"}});
  EXPECT_NEAR(scores[0][0].value, 0, 1e-24);
  // Means of 5000 squares of normal numbers, whose standard deviation is sqrt(2) times their mean: four of it.
  EXPECT_NEAR(scores[1][0].value, 0.25, 4 * 0.25 * std::sqrt(2.0 / 5000));
  EXPECT_NEAR(scores[2][0].value, 0.25 * 14, 4 * 0.25 * 14 * std::sqrt(2.0 / 5000));
}

TEST(InfidelityGaussian, AgreesWithTheDefinitionOneDrawAtATime) {
  const Graph graph = small_cnn(true);
  Scoring scoring(graph, {about_image(1), about_image(2)});
  for (const char* name : {"gradient", "gradient_x_input", "occlusion"}) scoring.add(name);
  const Settings settings = {{"sigma", "0.4"}, {"perturbations", "12"}};
  const Scores scores = scoring.score("infidelity_gaussian", settings);
  scoring.with_input("infidelity_gaussian", settings, [&](const MetricInput& input) {
    for (size_t m = 0; m < 3; ++m) {
      for (size_t q = 0; q < 2; ++q) {
        const Question& question = scoring.questions[q];
        const Normals normals(draws_of(input, q, "infidelity_gaussian"));
        double sum = 0;
        for (uint64_t draw = 0; draw < 12; ++draw) {
          Tensor row = question.point[0];
          std::vector<float> z(16);
          normals.fill(draw, z);
          double claimed = 0;
          for (int64_t i = 0; i < 16; ++i) {
            if (i == 3) continue;  // nobody's
            const double p = 0.4 * static_cast<double>(z[static_cast<size_t>(i)]);
            const double difference = row.at(i) - (question.baselines.at(i) + question.baselines.at(16 + i)) / 2;
            const double slope = scoring.attribution(m, q).elements.at(i) / (m == 0 ? 1 : difference);
            claimed += p * slope;
            row.mutable_data<double>()[i] -= p;
          }
          const double lost = slow_output(graph, question.point[0], 1) - slow_output(graph, row, 1);
          sum += (claimed - lost) * (claimed - lost);
        }
        EXPECT_NEAR(scores[m][q].value, sum / 12, 1e-11 * std::max(1.0, sum)) << m;
      }
    }
  });
}

// Metrics that ask the network the same share its answers, and nobody's score changes.
TEST(SharedPasses, ServeMetricsThatAskTheSame) {
  const Graph graph = small_cnn(true);
  Scoring scoring(graph, {about_image(1), about_image(2)});
  for (const char* name : {"gradient", "gradient_x_input"}) scoring.add(name);
  SharedPasses shared;
  const auto with_shared = [&](const char* metric) {
    Scores scores;
    scoring.with_input(metric, {}, [&](const MetricInput& input) {
      const MetricInput sharing{input.model,      input.questions, input.streams,  input.methods, input.objects,
                                input.parameters, input.seed,      input.progress, &shared};
      scores = score(metric_named(metric), sharing);
    });
    return scores;
  };
  const auto expect_same = [&](const char* metric, size_t kept) {
    const Scores alone = scoring.score(metric, {}), together = with_shared(metric);
    EXPECT_EQ(shared.size(), kept) << metric;
    for (size_t m = 0; m < 2; ++m) {
      for (size_t q = 0; q < 2; ++q) EXPECT_EQ(alone[m][q].value, together[m][q].value) << metric;
    }
  };
  expect_same("infidelity", 2);  // a question each
  expect_same("infidelity_scaled", 2);
  expect_same("max_sensitivity", 4);  // a method each
  expect_same("average_sensitivity", 4);
}

}  // namespace
}  // namespace ascribe::core
