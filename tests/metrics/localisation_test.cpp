// Metrics that know where the object is.
#include <cmath>

#include <gtest/gtest.h>

#include "metrics/localisation.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/slow_metrics.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// The sum of the image's elements; what is scored is made up.
Scoring scoring_of_pixels(const std::vector<std::vector<double>>& pixels, int64_t height, int64_t width,
                          int64_t channels = 1) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, channels, height, width}});
  b.output("y", b.reduce("reduce_sum", x, {1, 2, 3}, false));
  const Question question{{random_tensor({1, channels, height, width}, 1)},
                          0,
                          Tensor(DType::f64, {1, channels, height, width}),
                          pixel_players(height, width, channels)};
  Scoring scoring(graph, std::vector<Question>(pixels.size(), question));
  scoring.add_elements("gradient_x_input", pixels);
  return scoring;
}

TEST(BoundingBoxAccuracy, IsTheShareOfTheBoxAmongTheHighestPixels) {
  Scoring scoring = scoring_of_pixels({{5, 4, -9, 1, 3, 2}}, 2, 3);
  scoring.objects = {{1, 0, 1, 0, 1, 0}};  // the highest three are 5, 4 and 3
  EXPECT_DOUBLE_EQ(scoring.first("bounding_box_accuracy"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scoring.first("relevance_rank_accuracy"), 2.0 / 3);
}

TEST(BoundingBoxAccuracy, LeavesTiesToChance) {
  Scoring scoring = scoring_of_pixels({{1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 0, 0}}, 2, 3);
  scoring.objects = {{1, 1, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}};
  const Scores scores = scoring.score("bounding_box_accuracy");
  EXPECT_DOUBLE_EQ(scores[0][0].value, 1.0 / 3);              // the box's share of the image
  EXPECT_DOUBLE_EQ(scores[0][1].value, (1 + 1.0 / 3) / 2.0);  // the highest for sure, one of three that tie
}

TEST(BoundingBoxAccuracy, AgreesWithAllWaysToSort) {
  for (uint64_t seed = 1; seed < 9; ++seed) {
    const Random random(seed);
    std::vector<double> pixels;
    PixelMask object;
    for (uint64_t i = 0; i < 7; ++i) {
      pixels.push_back(static_cast<double>(random.below(i, 4)));  // few values: ties
      object.push_back(i == 0 || random.below(20 + i, 2) == 1 ? 1 : 0);
    }
    Scoring scoring = scoring_of_pixels({pixels}, 1, 7);
    scoring.objects = {object};
    EXPECT_NEAR(scoring.first("bounding_box_accuracy"), slow_rank_accuracy(pixels, object), 1e-12) << "seed " << seed;
  }
}

TEST(BoundingBoxAccuracy, SumsTheChannelsOfAPixel) {
  Scoring scoring = scoring_of_pixels({{3, 0, -4, 2}}, 1, 2, 2);  // pixels -1 and 2
  scoring.objects = {{0, 1}};
  EXPECT_DOUBLE_EQ(scoring.first("bounding_box_accuracy"), 1);
}

TEST(BoundingBoxAccuracy, IsUndefinedWithoutAnObjectAndRefusedWithoutBoxes) {
  Scoring scoring = scoring_of_pixels({{1, 2}}, 1, 2);
  expect_error(ErrorKind::unsupported, "data with boxes", [&] { scoring.score("bounding_box_accuracy"); });
  scoring.objects = {{0, 0}};
  EXPECT_EQ(scoring.score("bounding_box_accuracy")[0][0].undefined, "the object has no pixel in the image");
}

TEST(BoundingBoxAccuracyOfPlayers, RanksEveryMethodByItsPlayers) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.reduce("reduce_sum", b.input("x", {Kind::real, {kBatch, 1, 2, 2}}), {1, 2, 3}, false));
  Question question{{random_tensor({1, 1, 2, 2}, 1)}, 0, Tensor(DType::f64, {1, 1, 2, 2}), pixel_players(2, 2)};
  question.players.owner = {0, 0, 1, 1};
  question.players.names = {"above", "below"};
  Scoring scoring(graph, {question});
  scoring.add_elements("gradient_x_input", {{9, -9, 1, 2}});  // the players have 0 and 3
  scoring.add_players("shapley", {{3, 4}});
  scoring.objects = {{0, 0, 1, 1}};
  EXPECT_DOUBLE_EQ(scoring.score("bounding_box_accuracy")[0][0].value, 0.5);  // 9 and 2 are the highest
  const Scores players = scoring.score("bounding_box_accuracy_players");
  EXPECT_DOUBLE_EQ(players[0][0].value, 1);
  EXPECT_DOUBLE_EQ(players[1][0].value, 1);
}

TEST(BoundingBoxAccuracySmoothed, ForgivesPixelsThatJump) {
  // The highest single pixel lies outside; blurred along the row, the two beside each other win.
  Scoring scoring = scoring_of_pixels({{6, -8, 0, 0, 5, 5, 0}}, 1, 7);
  scoring.objects = {{0, 0, 0, 0, 1, 1, 0}};
  EXPECT_DOUBLE_EQ(scoring.first("bounding_box_accuracy"), 0.5 * (0.5 + 0.5));
  EXPECT_DOUBLE_EQ(scoring.first("bounding_box_accuracy_smoothed", {{"sigma", "1"}}), 1);
  EXPECT_DOUBLE_EQ(scoring.first("bounding_box_accuracy_smoothed", {{"sigma", "0.01"}}), 0.5) << "hardly any blur";
}

TEST(PointingGame, AsksWhetherTheHighestPixelIsInTheObject) {
  Scoring scoring = scoring_of_pixels({{1, 9, 2, 3, 4, 5}, {1, 2, 9, 3, 4, 5}, {7, 7, 7, 0, 0, 0}}, 2, 3);
  scoring.objects.assign(3, {1, 1, 0, 0, 0, 0});
  const Scores scores = scoring.score("pointing_game");
  EXPECT_EQ(scores[0][0].value, 1);
  EXPECT_EQ(scores[0][1].value, 0);
  EXPECT_DOUBLE_EQ(scores[0][2].value, 2.0 / 3);  // three tie
  EXPECT_EQ(scoring.score("pointing_game", {{"tolerance", "1"}})[0][1].value, 1);
}

TEST(PointingGame, MeasuresTheToleranceInADisc) {
  // The object is the upper left corner; the highest pixel lies two columns and one row away.
  Scoring scoring = scoring_of_pixels({{0, 0, 0, 0, 0, 1, 0, 0, 0}}, 3, 3);
  scoring.objects = {{1, 0, 0, 0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(scoring.first("pointing_game", {{"tolerance", "2.2"}}), 0);
  EXPECT_EQ(scoring.first("pointing_game", {{"tolerance", "2.3"}}), 1);  // sqrt(5) = 2.236
}

TEST(PointingGame, AgreesWithTheDistanceToTheNearestPixelOfTheObject) {
  for (uint64_t seed = 1; seed < 9; ++seed) {
    const Random random(seed);
    std::vector<double> pixels(30, 0);
    const uint64_t highest = random.below(0, 30);
    pixels[highest] = 1;
    PixelMask object(30, 0);
    for (uint64_t i = 1; i < 4; ++i) object[random.below(i, 30)] = 1;
    double nearest = 100;
    for (int i = 0; i < 30; ++i) {
      const auto at = static_cast<int>(highest);
      if (object[static_cast<size_t>(i)] == 1) nearest = std::min(nearest, std::hypot(i / 6 - at / 6, i % 6 - at % 6));
    }
    Scoring scoring = scoring_of_pixels({pixels}, 5, 6);
    scoring.objects = {object};
    for (const double tolerance : {0.0, 1.0, 1.5, 2.5, 4.0}) {
      EXPECT_EQ(scoring.first("pointing_game", {{"tolerance", std::to_string(tolerance)}}),
                nearest <= tolerance ? 1 : 0);
    }
  }
}

TEST(RelevanceMassAccuracy, IsTheShareOfPositiveMassInTheObject) {
  Scoring scoring = scoring_of_pixels({{3, 1, -5, 0, 2, -1}, {-1, -1, 0, 0, 0, 0}}, 2, 3);
  scoring.objects.assign(2, {1, 0, 1, 0, 0, 0});
  const Scores scores = scoring.score("relevance_mass_accuracy");
  EXPECT_DOUBLE_EQ(scores[0][0].value, 0.5);
  EXPECT_EQ(scores[0][1].undefined, "no pixel has a positive value");
  scoring.objects.assign(2, PixelMask(6, 0));
  EXPECT_FALSE(scoring.score("relevance_mass_accuracy")[0][0].defined());
  EXPECT_FALSE(scoring.score("pointing_game")[0][0].defined());
}

}  // namespace
}  // namespace ascribe::core
