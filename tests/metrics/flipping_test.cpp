// Deletion and insertion: curves of linear functions by hand, and the definition one masked row at a time.
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// f = sum of weights times x.
Graph linear(const std::vector<double>& weights) {
  Graph graph;
  Builder b(graph);
  const auto size = std::ssize(weights);
  const Value x = b.input("x", {Kind::real, {kBatch, size}});
  b.output("y", b.matmul(x, b.constant(Tensor::of<double>({size, 1}, weights))));
  return graph;
}

Question ones(int64_t size) {
  return ask_about(Tensor::of<double>({1, size}, std::vector<double>(static_cast<size_t>(size), 1)));
}

Question about_image(uint64_t seed) {
  return {{random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({2, 1, 4, 4}, seed + 50), pixel_players(4, 4)};
}

TEST(Deletion, OfALinearFunctionIsTheAreaBelowItsPartialSums) {
  Scoring scoring(linear({1, 5, -2, 4}), {ones(4)});
  scoring.add("gradient_x_input");
  const Score score = scoring.score("deletion")[0][0];
  // 8, then without 5, 4, 1 and -2, each over the change of 8.
  expect_values(score.positions, {0, 0.25, 0.5, 0.75, 1}, 0);
  expect_values(score.curve, {1, 3.0 / 8, -1.0 / 8, -2.0 / 8, 0}, 1e-15);
  EXPECT_NEAR(score.value, 0.25 * (0.5 + 3.0 / 8 - 1.0 / 8 - 2.0 / 8 + 0), 1e-15);
}

TEST(Insertion, OfALinearFunctionIsTheAreaBelowItsPartialSums) {
  Scoring scoring(linear({1, 5, -2, 4}), {ones(4)});
  scoring.add("gradient_x_input");
  const Score score = scoring.score("insertion")[0][0];
  expect_values(score.curve, {0, 5.0 / 8, 9.0 / 8, 10.0 / 8, 1}, 1e-15);
  EXPECT_NEAR(score.value, 0.25 * (5.0 / 8 + 9.0 / 8 + 10.0 / 8 + 0.5), 1e-15);
}

TEST(Deletion, IsLowerForABetterOrderAlsoWhereTheOutputFallsBelowTheBaseline) {
  Scoring scoring(linear({1, -5, -2}), {ones(3)});
  scoring.add("gradient_x_input");
  scoring.add_elements("gradient", {{-1, 5, 2}});
  const Scores scores = scoring.score("deletion");
  ASSERT_TRUE(scores[0][0].defined()) << scores[0][0].undefined;
  EXPECT_DOUBLE_EQ(scores[0][0].curve[0], -1);
  EXPECT_LT(scores[0][0].value, scores[1][0].value);
  const Scores inserted = scoring.score("insertion");
  EXPECT_GT(inserted[0][0].value, inserted[1][0].value);
}

TEST(Deletion, WithoutScaleFollowsTheOutputItself) {
  Scoring scoring(linear({1, 5, -2, 4}), {ones(4)});
  scoring.add("gradient_x_input");
  expect_values(scoring.score("deletion", {{"scale", "none"}})[0][0].curve, {8, 3, -1, -2, 0}, 1e-14);
}

TEST(Deletion, TakesTheFirstOfEqualPlayersFirst) {
  Scoring scoring(linear({1, 2, 4}), {ones(3)});
  scoring.add_elements("gradient_x_input", {{0, 0, 0}});
  expect_values(scoring.score("deletion", {{"scale", "none"}})[0][0].curve, {7, 6, 4, 0}, 1e-14);
}

TEST(Deletion, FlipsInGroupsWhereThereAreMorePlayersThanSteps) {
  Scoring scoring(linear({1, 2, 3, 4, 5}), {ones(5)});
  scoring.add("gradient_x_input");
  const Score score = scoring.score("deletion", {{"scale", "none"}, {"steps", "2"}})[0][0];
  expect_values(score.positions, {0, 0.4, 1}, 1e-15);
  expect_values(score.curve, {15, 6, 0}, 1e-14);
  const Score whole = scoring.score("deletion", {{"steps", "1"}})[0][0];
  EXPECT_DOUBLE_EQ(whole.value, 0.5);
}

TEST(Flipping, AgreesWithTheDefinitionOneRowAtATime) {
  const Graph graph = small_cnn();
  Scoring scoring(graph, {about_image(1), about_image(2)});
  for (const char* name : {"gradient_x_input", "gradient", "occlusion"}) scoring.add(name);
  const std::vector<int64_t> stops = {0, 3, 6, 9, 12, 16};  // sixteen players in five groups, shares rounded down
  for (const bool away : {true, false}) {
    const Scores scores = scoring.score(away ? "deletion" : "insertion", {{"steps", "5"}, {"scale", "none"}});
    for (size_t m = 0; m < scoring.methods(); ++m) {
      for (size_t q = 0; q < 2; ++q) {
        const auto expected = slow_flips(graph, scoring.questions[q], scoring.attribution(m, q).values, stops, away);
        expect_values(scores[m][q].curve, expected, 1e-12);
        double area = 0;
        for (size_t i = 1; i < stops.size(); ++i) {
          area += static_cast<double>(stops[i] - stops[i - 1]) / 16 * (expected[i] + expected[i - 1]) / 2;
        }
        EXPECT_NEAR(scores[m][q].value, area, 1e-12);
      }
    }
  }
}

TEST(Deletion, IsUndefinedWhereTheOutputDoesNotChange) {
  Scoring scoring(linear({1, -1}), {ones(2)});
  scoring.add("gradient_x_input");
  EXPECT_EQ(scoring.score("deletion")[0][0].undefined, "the output does not differ from the one at the baseline");
  EXPECT_TRUE(scoring.score("deletion", {{"scale", "none"}})[0][0].defined());
}

}  // namespace
}  // namespace ascribe::core
