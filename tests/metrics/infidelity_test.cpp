// Infidelity in its three forms: closed cases by hand, and the definition one square at a time.
#include <cmath>

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// f = x1 x2, an image of one row.
Graph product() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 1, 1, 2}});
  const Value first = b.slice(x, 3, 0, 1), second = b.slice(x, 3, 1, 1);
  b.output("y", b.reshape(b.mul(first, second), {kBatch, 1}));
  return graph;
}

Question about_product() {
  return {{Tensor::of<double>({1, 1, 1, 2}, {2, 3})}, 0, Tensor(DType::f64, {1, 1, 1, 2}), pixel_players(1, 2)};
}

Question about_image(uint64_t seed, int64_t baselines = 2) {
  return {{random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({baselines, 1, 4, 4}, seed + 50), pixel_players(4, 4)};
}

TEST(Infidelity, OfAProductIsTheMeanSquaredMissOfEachFactor) {
  // Either factor gone takes all 6 away.
  Scoring scoring(product(), {about_product()});
  scoring.add_elements("integrated_gradients", {{3, 3}});
  scoring.add_elements("occlusion", {{6, 6}});
  scoring.add_elements("gradient_x_input", {{5, 2}});
  const Scores scores = scoring.score("infidelity", {{"size", "1"}});
  EXPECT_DOUBLE_EQ(scores[0][0].value, 9);
  EXPECT_DOUBLE_EQ(scores[1][0].value, 0);
  EXPECT_DOUBLE_EQ(scores[2][0].value, (1.0 + 16.0) / 2);
}

TEST(Infidelity, OfSlopesMultipliesThemByTheChangeOfTheInput) {
  Scoring scoring(product(), {about_product()});
  scoring.add_elements("gradient", {{1, 1}});  // says that 2 and 3 are lost, where 6 is
  EXPECT_DOUBLE_EQ(scoring.first("infidelity", {{"size", "1"}}), (16.0 + 9.0) / 2);
}

TEST(Infidelity, ScaledFindsTheBestFactor) {
  Scoring scoring(product(), {about_product()});
  scoring.add_elements("integrated_gradients", {{3, 3}});
  scoring.add_elements("occlusion", {{-1, -1}});
  scoring.add_elements("gradient_x_input", {{6, 0}});
  scoring.add_elements("shapley", {{0, 0}});
  const Scores scores = scoring.score("infidelity_scaled", {{"size", "1"}});
  EXPECT_NEAR(scores[0][0].value, 0, 1e-15);
  EXPECT_NEAR(scores[1][0].value, 0, 1e-15);
  EXPECT_DOUBLE_EQ(scores[2][0].value, 18);  // factor 1: one square exact, the other misses 6
  EXPECT_DOUBLE_EQ(scores[3][0].value, 36);  // no factor helps
}

TEST(Infidelity, AgreesWithTheDefinitionOneSquareAtATime) {
  const Graph graph = small_cnn(true);
  Scoring scoring(graph, {about_image(1), about_image(2), about_image(3, 1)});
  for (const char* name : {"gradient_x_input", "gradient", "occlusion", "integrated_gradients"}) scoring.add(name);
  for (const int64_t side : {1, 2, 3}) {
    const Settings settings = {{"size", std::to_string(side)}};
    const Scores plain = scoring.score("infidelity", settings), scaled = scoring.score("infidelity_scaled", settings);
    for (size_t m = 0; m < scoring.methods(); ++m) {
      for (size_t q = 0; q < scoring.questions.size(); ++q) {
        const bool slopes = scoring.method(m).kind == AttributionKind::sensitivity;
        const auto claims = slow_claims(scoring.questions[q], slopes, values_of(scoring.attribution(m, q).elements));
        const auto squares = slow_squares(graph, scoring.questions[q], claims, side);
        // Rounding of a few hundred terms in double; the search for the factor is exact to half the digits, squared.
        EXPECT_NEAR(plain[m][q].value, slow_infidelity(squares), 1e-11);
        EXPECT_NEAR(scaled[m][q].value, slow_scaled_infidelity(squares), 1e-10);
        EXPECT_LE(scaled[m][q].value, plain[m][q].value + 1e-12);
      }
    }
  }
}

TEST(InfidelityAllSquares, OfAProductScalesOptimallyInClosedForm) {
  // f = x1 x2 = 6: either square of side 1 takes all 6 away. Claims 5 and 2 have the best factor
  // (5 * 6 + 2 * 6) / (25 + 4) = 42 / 29, which leaves (72 - 42^2 / 29) / 2.
  Scoring scoring(product(), {about_product()});
  scoring.add_elements("gradient_x_input", {{5, 2}});
  EXPECT_NEAR(scoring.first("infidelity_all_squares"), (72 - 42.0 * 42 / 29) / 2, 1e-14);
  EXPECT_NEAR(scoring.first("infidelity_all_squares", {{"scale", "none"}}), (1.0 + 16.0) / 2, 1e-14);
}

TEST(InfidelityAllSquares, AgreesWithAllSquaresOneAtATime) {
  const Graph graph = small_cnn(true);
  Scoring scoring(graph, {about_image(1), about_image(2, 1)});
  for (const char* name : {"gradient_x_input", "gradient", "integrated_gradients"}) scoring.add(name);
  for (const auto& [smallest, largest, last] : {std::tuple{1, 10, 4}, {2, 3, 3}}) {
    const Settings settings = {{"smallest", std::to_string(smallest)}, {"largest", std::to_string(largest)}};
    const Scores scores = scoring.score("infidelity_all_squares", settings);
    for (size_t m = 0; m < scoring.methods(); ++m) {
      for (size_t q = 0; q < scoring.questions.size(); ++q) {
        const bool slopes = scoring.method(m).kind == AttributionKind::sensitivity;
        const auto claims = slow_claims(scoring.questions[q], slopes, values_of(scoring.attribution(m, q).elements));
        std::vector<SlowSquare> all;  // sides that do not fit into 4 x 4 pixels are left out
        for (int64_t side = smallest; side <= last; ++side) {
          for (const SlowSquare& one : slow_squares(graph, scoring.questions[q], claims, side)) all.push_back(one);
        }
        EXPECT_EQ(all.size(), smallest == 1 ? 16U + 9 + 4 + 1 : 9U + 4);
        EXPECT_NEAR(scores[m][q].value, slow_scaled_infidelity(all), 1e-10);
      }
    }
  }
}

TEST(InfidelityAllSquares, RefusesRangesThatCannotBe) {
  Scoring scoring(small_cnn(true), {about_image(1)});
  scoring.add("gradient_x_input");
  expect_error(ErrorKind::argument, "rising order", [&] {
    scoring.score("infidelity_all_squares", {{"smallest", "3"}, {"largest", "2"}});
  });
  expect_error(ErrorKind::argument, "fit into images of 4 x 4", [&] {
    scoring.score("infidelity_all_squares", {{"smallest", "5"}});
  });
}

TEST(Infidelity, SpreadsAPlayerOverItsPixelsAndLeavesAloneWhatNobodyOwns) {
  const Graph graph = small_cnn(true);
  Question question = about_image(4);
  for (size_t i = 0; i < 16; ++i) question.players.owner[i] = i < 4 ? -1 : static_cast<int32_t>(i % 3);
  question.players.names = {"a", "b", "c"};
  Scoring scoring(graph, {question});
  scoring.add_players("shapley", {{0.4, -0.8, 1.2}});
  std::vector<double> shares;
  for (size_t i = 0; i < 16; ++i) shares.push_back(i < 4 ? 0 : std::vector{0.1, -0.2, 0.3}[i % 3]);  // four each
  EXPECT_NEAR(scoring.first("infidelity", {{"size", "2"}}), slow_infidelity(slow_squares(graph, question, shares, 2)),
              1e-12);
}

TEST(Infidelity, SumsTheChannelsOfAPixel) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 2, 2}});
  b.output("y", b.reduce("reduce_sum", b.mul(x, x), {1, 2, 3}, false));
  Question question{{random_tensor({1, 2, 2, 2}, 3)}, 0, random_tensor({1, 2, 2, 2}, 4), pixel_players(2, 2, 2)};
  Scoring scoring(graph, {question});
  scoring.add("occlusion");  // of an additive function: exact
  EXPECT_NEAR(scoring.first("infidelity", {{"size", "1"}}), 0, 1e-20);
}

TEST(Infidelity, DrawsSquaresWhereThereAreMoreThanPerturbations) {
  // The mean over many questions that differ in their stream only is that over all squares: unbiased.
  const Question question = about_image(5);
  Scoring scoring(small_cnn(true), std::vector<Question>(400, question));
  scoring.add("gradient_x_input");
  const double exact = scoring.score("infidelity", {{"size", "1"}})[0][0].value;
  const std::vector<Score> drawn = scoring.score("infidelity", {{"size", "1"}, {"perturbations", "8"}})[0];
  double mean = 0, square = 0;
  for (const Score& one : drawn) mean += one.value / 400;
  for (const Score& one : drawn) square += (one.value - mean) * (one.value - mean) / 399;
  EXPECT_GT(square, 0);
  EXPECT_NEAR(mean, exact, 4 * std::sqrt(square / 400));  // four standard errors, and the seed is fixed
}

TEST(Infidelity, CountsEveryDrawOnce) {
  // Whatever pixel is drawn, 1 is lost and nothing is claimed.
  Graph graph;
  Builder b(graph);
  b.output("y", b.reduce("reduce_sum", b.input("x", {Kind::real, {kBatch, 1, 4, 4}}), {1, 2, 3}, false));
  Tensor x(DType::f64, {1, 1, 4, 4});
  for (double& value : x.mutable_data<double>()) value = 1;
  Scoring scoring(graph, {{{x}, 0, Tensor(DType::f64, {1, 1, 4, 4}), pixel_players(4, 4)}});
  scoring.add_elements("occlusion", {std::vector<double>(16, 0.0)});
  for (const char* draws : {"1", "5", "15", "16", "1000"}) {
    EXPECT_NEAR(scoring.first("infidelity", {{"size", "1"}, {"perturbations", draws}}), 1, 1e-14) << draws;
  }
}

TEST(Infidelity, RemovesSetsOfPlayersWhereRowsAreNoImages) {
  // f = x1 x2 + x3 with x = 1: without {1}, {2}, {3} it loses 1 each; without pairs 1, 2, 2.
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  b.output("y", b.add(b.mul(b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1)), b.slice(x, 1, 2, 1)));
  Scoring scoring(graph, {ask_about(Tensor::of<double>({1, 3}, {1, 1, 1}))});
  scoring.add_elements("shapley", {{0.5, 0.5, 1}});
  EXPECT_DOUBLE_EQ(scoring.first("infidelity"), (0.25 + 0.25 + 0) / 3);
  EXPECT_DOUBLE_EQ(scoring.first("infidelity", {{"size", "2"}}), (0 + 0.25 + 0.25) / 3);
  EXPECT_DOUBLE_EQ(scoring.first("infidelity", {{"size", "3"}}), 0);
  // A method that claims 1 of each: of sets and of what is left of them it says different things.
  scoring.add_elements("occlusion", {{1, 1, 1}});
  EXPECT_DOUBLE_EQ(scoring.score("infidelity")[1][0].value, 0);
  EXPECT_DOUBLE_EQ(scoring.score("infidelity", {{"size", "2"}})[1][0].value, 1.0 / 3);
  // Two draws of three sets: a mean of two of the three squares above.
  const double drawn = scoring.first("infidelity", {{"perturbations", "2"}});
  EXPECT_TRUE(drawn == 0 || drawn == 0.125 || drawn == 0.25) << drawn;
}

TEST(Infidelity, RefusesSquaresThatAreLargerThanTheImage) {
  Scoring scoring(small_cnn(true), {about_image(1)});
  scoring.add("gradient");
  expect_error(ErrorKind::argument, "4 x 4 pixels", [&] { scoring.score("infidelity", {{"size", "5"}}); });
  Scoring table(product(), {ask_about(Tensor::of<double>({1, 1, 1, 2}, {2, 3}))});
  table.add("gradient");
  expect_error(ErrorKind::argument, "expected at most the number of players, 2", [&] {
    table.score("infidelity", {{"size", "3"}});
  });
}

}  // namespace
}  // namespace ascribe::core
