// The registry of metrics, what it refuses, and attributions as shares of elements and pixels.
#include <set>

#include <gtest/gtest.h>

#include "metrics/shares.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Question about_image() {
  return {{random_tensor({1, 1, 4, 4}, 1)}, 1, Tensor(DType::f64, {1, 1, 4, 4}), pixel_players(4, 4)};
}

TEST(Metrics, AreListedByCategoryAndThenByName) {
  const std::vector<std::string> names = metric_names();
  EXPECT_GE(names.size(), 20);
  for (size_t i = 1; i < names.size(); ++i) {
    const Metric &before = metric_named(names[i - 1]), &after = metric_named(names[i]);
    EXPECT_LT(std::pair(before.category, before.name), std::pair(after.category, after.name));
  }
}

TEST(Metrics, SayWhatTheyAre) {
  std::set<std::string> titles;
  for (const std::string& name : metric_names()) {
    const Metric& metric = metric_named(name);
    for (const std::string& text :
         {metric.title, metric.formula, metric.source, metric.about, metric.cost, metric.limits}) {
      EXPECT_FALSE(text.empty()) << name;
    }
    EXPECT_TRUE(titles.insert(metric.title).second) << "two metrics are called " << metric.title;
    EXPECT_EQ(metric.objects, metric.category == MetricCategory::localisation) << name;
    EXPECT_EQ(metric.formula.find('\n'), std::string::npos) << name;
    EXPECT_NO_THROW(Parameters(name, metric.parameters)) << name;
    for (const Parameter& parameter : metric.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << name << " " << parameter.name;
      // The fallback is itself a possible value.
      EXPECT_NO_THROW(Parameters(name, metric.parameters, {{parameter.name, parameter.fallback}})) << parameter.name;
    }
  }
}

TEST(Metrics, RefuseAnUnknownNameAndSayWhichThereAre) {
  expect_error(ErrorKind::unsupported, "bounding_box_accuracy", [] { metric_named("fidelity"); });
}

TEST(Metrics, OfImagesRefuseOtherRows) {
  Question question = about_image();
  question.players.image.reset();
  Scoring scoring(small_mlp(), {question});
  scoring.add("gradient");
  scoring.objects = {PixelMask(16, 1)};
  expect_error(ErrorKind::unsupported, "for images", [&] { scoring.score("pointing_game"); });
}

TEST(Metrics, RefuseScoresThatAreNotFinite) {
  Metric broken = metric_named("sparseness");
  broken.score = [](const MetricInput&) { return Scores{{Score{std::numeric_limits<double>::infinity()}}}; };
  Scoring scoring(small_mlp(), {about_image()});
  scoring.add("gradient");
  scoring.with_input("sparseness", {}, [&](const MetricInput& input) {
    expect_error(ErrorKind::numeric, "a score is infinity", [&] { score(broken, input); });
  });
}

TEST(Metrics, LeaveOutMethodsOfAKindThatTheyDoNotTake) {
  Scoring scoring(small_mlp(), {about_image()});
  for (const char* name : {"gradient", "gradient_x_input", "smooth_grad"}) scoring.add(name);
  const Scores scores = scoring.score("completeness");
  EXPECT_NE(scores[0][0].undefined.find("gives slopes"), std::string::npos);
  EXPECT_TRUE(scores[1][0].defined());
  EXPECT_FALSE(scores[2][0].defined());
}

TEST(Shares, OfPlayersAreEqualPartsAndSumToTheirValues) {
  Question question = about_image();
  for (size_t i = 0; i < 16; ++i) question.players.owner[i] = i < 2 ? -1 : i < 6 ? 0 : 1;  // nobody, four, ten
  question.players.names = {"a", "b"};
  const Attribution attribution = attribution_of_players(question, {8, -5}, 0, 0);
  const Tensor shares = element_shares(method_named("shapley"), question, attribution);
  for (int64_t i = 0; i < 16; ++i) EXPECT_DOUBLE_EQ(shares.at(i), i < 2 ? 0 : i < 6 ? 2 : -0.5);
}

TEST(Shares, OfElementsAreTheirValuesAndZeroWhereNobodyOwnsThem) {
  Question question = about_image();
  question.players.owner[5] = -1;
  const Tensor elements = random_tensor({1, 4, 4}, 3);
  const Attribution attribution = attribution_of_elements(question, elements, 0, 0);
  const Tensor shares = element_shares(method_named("gradient"), question, attribution);
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(shares.at(i), i == 5 ? 0 : elements.at(i));
}

TEST(Shares, OfPixelsSumTheirChannelsInEitherLayout) {
  for (const PixelLayout layout : {PixelLayout::chw, PixelLayout::hwc}) {
    const bool first = layout == PixelLayout::chw;
    const Shape row = first ? Shape{2, 1, 3} : Shape{1, 3, 2};
    Question question{{Tensor(DType::f64, {1, row[0], row[1], row[2]})},
                      0,
                      Tensor(DType::f64, {1, row[0], row[1], row[2]}),
                      element_players(6)};
    question.players.image = ImageShape{layout, 2, 1, 3, 6};
    const Attribution attribution =
        attribution_of_elements(question, Tensor::of<double>(row, {1, 2, 3, 10, 20, 30}), 0, 0);
    const std::vector<double> expected = first ? std::vector<double>{11, 22, 33} : std::vector<double>{3, 13, 50};
    EXPECT_EQ(pixel_shares(method_named("gradient"), question, attribution), expected);
  }
}

}  // namespace
}  // namespace ascribe::core
