// Metrics of the attribution alone: completeness, sparseness, complexity, and agreement with other methods; and the
// statistics behind them.
#include <cmath>

#include <gtest/gtest.h>

#include "metrics/agreement.h"
#include "metrics/statistics.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"

namespace ascribe::core {
namespace {

// f = sum of x, of rows of ones; what is scored is made up.
Scoring scoring_of(const std::vector<std::vector<double>>& methods) {
  const auto size = std::ssize(methods[0]);
  Graph graph;
  Builder b(graph);
  b.output("y", b.reduce("reduce_sum", b.input("x", {Kind::real, {kBatch, size}}), {1}, false));
  Scoring scoring(graph, {ask_about(Tensor::of<double>({1, size}, std::vector<double>(static_cast<size_t>(size), 1)))});
  for (const auto& values : methods) scoring.add_elements("gradient_x_input", {values});
  return scoring;
}

std::vector<double> some_values(uint64_t seed, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(Random(seed).normal(i));
  return values;
}

TEST(Completeness, IsTheShareThatIsMissing) {
  Scoring scoring = scoring_of({{1, 1, 1, 1}, {1, 1, 1, 0}, {-4, 0, 0, 0}, {5, 1, 1, 1}});
  const Scores scores = scoring.score("completeness");
  EXPECT_DOUBLE_EQ(scores[0][0].value, 0);
  EXPECT_DOUBLE_EQ(scores[1][0].value, 0.25);
  EXPECT_DOUBLE_EQ(scores[2][0].value, 2);
  EXPECT_DOUBLE_EQ(scores[3][0].value, 1);  // as much too much
}

TEST(Completeness, IsUndefinedForSlopesAndWhereNothingIsToBeShared) {
  Scoring scoring = scoring_of({{1, 1}});
  scoring.questions[0].baselines = scoring.questions[0].point[0];
  Scoring changed(scoring.model.graph(), scoring.questions);
  changed.add("gradient_x_input");
  changed.add("gradient");
  const Scores scores = changed.score("completeness");
  EXPECT_EQ(scores[0][0].undefined, "the output does not differ from the one at the baseline");
  EXPECT_EQ(scores[1][0].undefined, "completeness is about contributions, but this method gives slopes");
}

TEST(Sparseness, IsZeroForEqualSizesAndNearOneForASinglePlayer) {
  Scoring scoring = scoring_of({{2, -2, 2, 2}, {0, -3, 0, 0}, {0, 0, 0, 0}});
  const Scores scores = scoring.score("sparseness");
  EXPECT_NEAR(scores[0][0].value, 0, 1e-15);
  EXPECT_DOUBLE_EQ(scores[1][0].value, 0.75);
  EXPECT_EQ(scores[2][0].undefined, "all values are zero");
}

TEST(Sparseness, IsTheMeanDifferenceOfTwo) {
  for (const uint64_t seed : {1, 2, 3}) {
    const std::vector<double> values = some_values(seed, 9);
    EXPECT_NEAR(scoring_of({values}).first("sparseness"), slow_gini(values), 1e-14);
  }
}

TEST(Complexity, IsTheEntropyOfTheShares) {
  Scoring scoring = scoring_of({{2, -2, 2, 2}, {0, -3, 0, 0}, {0, 0, 0, 0}, {1, 2, 1, 0}});
  const Scores scores = scoring.score("complexity");
  EXPECT_NEAR(scores[0][0].value, std::log(4), 1e-15);
  EXPECT_EQ(scores[1][0].value, 0);
  EXPECT_EQ(scores[2][0].undefined, "all values are zero");
  EXPECT_NEAR(scores[3][0].value, 1.5 * std::log(2), 1e-15);  // 1/4, 1/2, 1/4: one and a half bits
}

TEST(Statistics, CorrelationsAgreeWithTheTextbook) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto a = some_values(seed, 12), b = some_values(seed + 10, 12);
    EXPECT_NEAR(*pearson_correlation(a, b), slow_correlation(a, b), 1e-13);
    EXPECT_NEAR(*rank_correlation(a, b), slow_correlation(slow_ranks(a), slow_ranks(b)), 1e-13);
  }
  EXPECT_EQ(ranks_of(std::vector<double>{3, 1, 3, 2}), (std::vector<double>{3.5, 1, 3.5, 2}));
  EXPECT_EQ(slow_ranks({3, 1, 3, 2}), (std::vector<double>{3.5, 1, 3.5, 2}));
}

TEST(Statistics, CorrelationsWithAConstantAreNone) {
  const std::vector<double> constant = {2, 2, 2}, rising = {1, 2, 3}, tiny = {1e-200, 2e-200, 3e-200};
  EXPECT_FALSE(pearson_correlation(constant, rising).has_value());
  EXPECT_FALSE(rank_correlation(rising, constant).has_value());
  EXPECT_NEAR(*pearson_correlation(tiny, rising), 1, 1e-12);  // no product underflows
  const std::vector<double> rounded = {0.1 + 0.2, 0.3, 0.3};
  EXPECT_FALSE(pearson_correlation(rounded, rising).has_value());
}

TEST(Agreement, MatrixOfRanksLeavesOutWhatDoesNotVary) {
  const std::vector<std::vector<double>> values = {{1, 2, 3}, {10, 20, 15}, {5, 5, 5}, {3, 2, 1}};
  const AgreementMatrix matrix = rank_correlations(values);
  EXPECT_NEAR(*matrix[0][1], 0.5, 1e-15);
  EXPECT_EQ(matrix[0][1], matrix[1][0]);
  EXPECT_NEAR(*matrix[0][3], -1, 1e-15);
  EXPECT_EQ(matrix[1][1], 1);
  EXPECT_FALSE(matrix[0][2].has_value());
  EXPECT_FALSE(matrix[2][2].has_value());
}

TEST(Agreement, OverlapOfTheStrongestLeavesTiesToChance) {
  const std::vector<std::vector<double>> values = {{4, -3, 1, 0}, {-9, 0, 8, 1}, {1, 0, 0, 0}, {2, -2, 2, 2}};
  const AgreementMatrix matrix = top_overlaps(values, 2);
  EXPECT_DOUBLE_EQ(*matrix[0][1], 0.5);
  EXPECT_DOUBLE_EQ(*matrix[0][2], (1 + 1.0 / 3) / 2);  // the first for sure, the second one of three
  EXPECT_FALSE(matrix[0][3].has_value());
  EXPECT_EQ(matrix[2][2], 1);
  expect_error(ErrorKind::argument, "expected at most the number of players, 4", [&] { top_overlaps(values, 5); });
}

TEST(Agreement, ScoresAreMeansOverTheOtherMethods) {
  Scoring scoring = scoring_of({{1, 2, 3}, {10, 20, 15}, {3, 2, 1}, {7, 7, 7}});
  const Scores ranks = scoring.score("agreement_rank");
  EXPECT_NEAR(ranks[0][0].value, (0.5 - 1) / 2, 1e-15);
  EXPECT_NEAR(ranks[2][0].value, (-1 - 0.5) / 2, 1e-15);
  EXPECT_EQ(ranks[3][0].undefined, "all players have the same value");
  const Scores tops = scoring.score("agreement_top_k", {{"k", "1"}});
  EXPECT_DOUBLE_EQ(tops[0][0].value, 0);
  EXPECT_DOUBLE_EQ(scoring.score("agreement_top_k", {{"k", "2"}})[0][0].value, (1 + 0.5) / 2);
  expect_error(ErrorKind::argument, "expected at most the number of players, 3", [&] {
    scoring.score("agreement_top_k", {{"k", "4"}});
  });
  EXPECT_EQ(scoring_of({{1, 2}}).score("agreement_rank")[0][0].undefined, "there is no other method to agree with");
}

}  // namespace
}  // namespace ascribe::core
