// Metrics that remove random sets or single players: sensitivity-n, faithfulness correlation, non-sensitivity.
#include <gtest/gtest.h>

#include "metrics/player_sets.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// Six players of two or three pixels that lie apart.
Question about_groups(uint64_t seed, int64_t baselines = 2) {
  Question question{
      {random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({baselines, 1, 4, 4}, seed + 50), pixel_players(4, 4)};
  for (size_t i = 0; i < 16; ++i) question.players.owner[i] = static_cast<int32_t>(i % 6);
  question.players.names = {"a", "b", "c", "d", "e", "f"};
  return question;
}

// What the six players claim to lose.
std::vector<double> claims_of(const Scoring& scoring, size_t m, size_t q) {
  const Question& question = scoring.questions[q];
  if (scoring.method(m).players) return scoring.attribution(m, q).values;
  const bool slopes = scoring.method(m).kind == AttributionKind::sensitivity;
  const auto elements = slow_claims(question, slopes, values_of(scoring.attribution(m, q).elements));
  std::vector<double> sums(6);
  for (size_t i = 0; i < elements.size(); ++i) sums[static_cast<size_t>(question.players.owner[i])] += elements[i];
  return sums;
}

TEST(FaithfulnessCorrelation, TendsToTheCorrelationOverAllSets) {
  const Graph graph = small_mlp("sigmoid");
  Scoring scoring(graph, {about_groups(1), about_groups(2)});
  for (const char* name : {"gradient_x_input", "gradient", "occlusion"}) scoring.add(name);
  // The standard error of a correlation of 3000 draws is below 1 / sqrt(3000) = 0.018.
  const Settings number = {{"size", "2"}, {"subsets", "3000"}}, share = {{"size", "0.5"}, {"subsets", "3000"}};
  const Scores twos = scoring.score("faithfulness_correlation", number);
  const Scores halves = scoring.score("faithfulness_correlation", share);
  const Scores same = scoring.score("sensitivity_n", {{"n", "2"}, {"subsets", "3000"}});
  for (size_t m = 0; m < 3; ++m) {
    for (size_t q = 0; q < 2; ++q) {
      const std::vector<double> claims = claims_of(scoring, m, q);
      const double of_twos = slow_set_correlation(graph, scoring.questions[q], claims, 2);
      EXPECT_NEAR(twos[m][q].value, of_twos, 0.06);
      EXPECT_NEAR(same[m][q].value, of_twos, 0.06);
      EXPECT_NEAR(halves[m][q].value, slow_set_correlation(graph, scoring.questions[q], claims, 3), 0.06);
    }
  }
}

TEST(SensitivityN, IsTheMeanOfItsCurve) {
  Scoring scoring(small_mlp("sigmoid"), {about_groups(1)});
  scoring.add("occlusion");
  const Score score = scoring.score("sensitivity_n", {{"subsets", "50"}})[0][0];
  expect_values(score.positions, {1.0 / 6, 2.0 / 6, 3.0 / 6, 4.0 / 6}, 1e-15);  // up to 80 % of six
  double mean = 0;
  for (const double value : score.curve) mean += value / 4;
  EXPECT_NEAR(score.value, mean, 1e-15);
  EXPECT_NEAR(score.curve[0], 1, 1e-12);  // single players: occlusion is what is lost
}

TEST(SensitivityN, IsUndefinedWhereNothingVaries) {
  Scoring scoring(small_mlp("sigmoid"), {about_groups(1)});
  scoring.add_players("shapley", {{1, 1, 1, 1, 1, 1}});
  EXPECT_EQ(scoring.score("sensitivity_n", {{"n", "2"}})[0][0].undefined,
            "all sets of players have the same value in the attribution");
  EXPECT_EQ(scoring.score("sensitivity_n", {{"n", "6"}})[0][0].undefined,
            "the output changes by the same amount whichever players are removed");
  EXPECT_FALSE(scoring.score("sensitivity_n")[0][0].defined());
  expect_error(ErrorKind::argument, "expected at most 6", [&] { scoring.score("sensitivity_n", {{"n", "7"}}); });
  expect_error(ErrorKind::argument, "expected at most 6", [&] {
    scoring.score("faithfulness_correlation", {{"size", "7"}});
  });
}

TEST(DrawnSets, AreOfTheirSizeAndUniform) {
  const Random random(3);
  std::vector<double> counts(7);
  for (uint64_t i = 0; i < 7000; ++i) {
    const PlayerSet set = drawn_set(random, i, 7, 3);
    ASSERT_EQ(set.size(), 3);
    ASSERT_TRUE(set[0] < set[1] && set[1] < set[2] && set[2] < 7);
    for (const int64_t p : set) ++counts[static_cast<size_t>(p)];
  }
  for (const double count : counts) EXPECT_NEAR(count, 3000, 4 * std::sqrt(7000 * 3.0 / 7 * 4 / 7));  // four deviations
  EXPECT_EQ(drawn_set(random, 5, 4, 4), (PlayerSet{0, 1, 2, 3}));
}

TEST(NonSensitivity, CountsPlayersOfWhomAttributionAndNetworkDisagree) {
  // f = x1 + 2 x2 + 0 x3 + 0 x4.
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  b.output("y", b.matmul(x, b.constant(Tensor::of<double>({4, 1}, {1, 2, 0, 0}))));
  Scoring scoring(graph, {ask_about(Tensor::of<double>({1, 4}, {1, 1, 1, 1}))});
  scoring.add_elements("gradient_x_input", {{1, 2, 0, 0}});
  scoring.add_elements("occlusion", {{0, -3, 0.1, 0}});
  scoring.add_elements("shapley", {{0, 0, 5, 5}});
  scoring.add_elements("gradient", {{1, 1, 1e-6, 0}});
  const Scores scores = scoring.score("non_sensitivity");
  EXPECT_DOUBLE_EQ(scores[0][0].value, 0);
  EXPECT_DOUBLE_EQ(scores[1][0].value, 0.5);
  EXPECT_DOUBLE_EQ(scores[2][0].value, 1);
  EXPECT_DOUBLE_EQ(scores[3][0].value, 0);  // a millionth is below the tolerance
  EXPECT_DOUBLE_EQ(scoring.score("non_sensitivity", {{"tolerance", "0"}})[3][0].value, 0.25);
}

TEST(NonSensitivity, AgreesWithOcclusionOneRowAtATime) {
  const Graph graph = small_mlp("relu");
  Question question = about_groups(3);
  for (size_t i = 0; i < 16; ++i) {  // two of the players are at the baseline
    for (size_t b = 0; b < 2; ++b) {
      if (i % 6 < 2)
        question.baselines.mutable_data<double>()[b * 16 + i] = question.point[0].at(static_cast<int64_t>(i));
    }
  }
  Scoring scoring(graph, {question});
  scoring.add_players("shapley", {{1, 2, 0, 2, 3, 4}});
  const std::vector<double> lost = slow_occlusion(graph, question);
  double disagree = 0;
  for (size_t p = 0; p < 6; ++p) {
    disagree += (scoring.attribution(0, 0).values[p] == 0) != (std::fabs(lost[p]) < 1e-9) ? 1 : 0;
  }
  EXPECT_GT(disagree, 0);
  EXPECT_DOUBLE_EQ(scoring.first("non_sensitivity"), disagree / 6);
}

}  // namespace
}  // namespace ascribe::core
