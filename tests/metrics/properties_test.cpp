// Walks the registry of metrics: scores do not depend on batches or threads, are finite or explained, and the better
// attribution gets the better score.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "support/scoring.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// Cheap settings; few draws, so that scores are noisy and any change of a draw shows.
Settings quick(const Metric& metric) {
  Settings settings;
  for (const Parameter& parameter : metric.parameters) {
    if (parameter.name == "perturbations") settings["perturbations"] = "7";
    if (parameter.name == "subsets") settings["subsets"] = "9";
    if (parameter.name == "samples") settings["samples"] = "3";
    if (parameter.name == "steps") settings["steps"] = "5";
  }
  return settings;
}

Question about_image(uint64_t seed) {
  return {{random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({2, 1, 4, 4}, seed + 50), pixel_players(4, 4)};
}

PixelMask box(size_t first) {
  PixelMask mask(16, 0);
  for (const size_t pixel : {first, first + 1, first + 4, first + 5}) mask[pixel] = 1;
  return mask;
}

Scoring small_study() {
  Scoring scoring(small_cnn(true), {about_image(1), about_image(2), about_image(3)});
  scoring.objects = {box(0), box(5), box(10)};
  scoring.streams = {11, 5, 1000003};
  for (const char* name : {"gradient_x_input", "gradient", "occlusion", "smooth_grad"}) scoring.add(name);
  return scoring;
}

std::vector<std::string> names_of_rating_metrics() {
  std::vector<std::string> names;
  for (const std::string& name : metric_names()) {
    if (metric_named(name).rates()) names.push_back(name);
  }
  return names;
}

class MetricProperties : public testing::TestWithParam<std::string> {
 protected:
  const Metric& metric() const { return metric_named(GetParam()); }
};

void expect_same(const Score& a, const Score& b, double tolerance) {
  EXPECT_EQ(a.undefined, b.undefined);
  if (!a.defined()) return;
  EXPECT_NEAR(a.value, b.value, tolerance * std::max(1.0, std::fabs(a.value)));
  expect_values(a.curve, b.curve, tolerance);
  EXPECT_EQ(a.positions, b.positions);
}

TEST_P(MetricProperties, ScoresAreTheSameAloneAndInABatch) {
  Scoring together = small_study();
  const Scores scores = together.score(GetParam(), quick(metric()));
  for (size_t q = 0; q < 3; ++q) {
    Scoring alone(small_cnn(true), {together.questions[q]});
    alone.objects = {together.objects[q]};
    alone.streams = {together.streams[q]};
    for (const char* name : {"gradient_x_input", "gradient", "occlusion", "smooth_grad"}) alone.add(name);
    const Scores one = alone.score(GetParam(), quick(metric()));
    for (size_t m = 0; m < scores.size(); ++m) expect_same(scores[m][q], one[m][0], 1e-10);
  }
}

TEST_P(MetricProperties, ScoresAreTheSameBitsForOneThreadAndTwo) {
  std::vector<Scores> runs;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    runs.push_back(small_study().score(GetParam(), quick(metric())));
  }
  set_thread_count(0);
  for (size_t m = 0; m < runs[0].size(); ++m) {
    for (size_t q = 0; q < 3; ++q) expect_same(runs[0][m][q], runs[1][m][q], 0);
  }
}

TEST_P(MetricProperties, AnotherSeedIsUsedWhereThereAreDraws) {
  const bool draws = std::any_of(metric().parameters.begin(), metric().parameters.end(), [](const Parameter& p) {
    return p.name == "perturbations" || p.name == "subsets" || p.name == "samples" || p.name == "stages";
  });
  Settings settings = quick(metric());
  if (settings.contains("perturbations")) settings["perturbations"] = "3";
  Scoring scoring = small_study();
  const Scores first = scoring.score(GetParam(), settings);
  scoring.seed = 8;
  const Scores second = scoring.score(GetParam(), settings);
  bool differ = false;
  for (size_t m = 0; m < first.size(); ++m) {
    for (size_t q = 0; q < 3; ++q) {
      differ = differ || (first[m][q].defined() && first[m][q].value != second[m][q].value);
    }
  }
  EXPECT_EQ(differ, draws);
}

TEST_P(MetricProperties, ScoresOfNothingAreFiniteOrExplained) {
  // A network that says the same of everything, and attributions that say nothing, or the same of all.
  Graph graph;
  SmallNetwork net(graph);
  const Value flat = net.b.reshape(net.image(), {kBatch, 16});
  net.b.output("y", net.b.add(net.b.matmul(flat, net.b.constant(Tensor(DType::f64, {16, 2}))), 3.0));
  Question question = about_image(1);
  Scoring scoring(graph, {question});
  scoring.objects = {box(0)};
  scoring.add("gradient_x_input");
  scoring.add("gradient");
  scoring.add_elements("occlusion", {std::vector<double>(16, 1.0)});
  for (const auto& of_method : scoring.score(GetParam(), quick(metric()))) {
    EXPECT_EQ(of_method[0].defined(), std::isfinite(of_method[0].value));
  }
}

// ---- what good and bad attributions get ----

// f = w x with positive, negative and zero weights; the zeros are at the beginning, and the largest in the box at 10.
std::vector<double> weights() {
  std::vector<double> result = {0, 0, 0, 0, -1, 0.5, 2, -0.3, 1, -2, 5, 6, 0.2, -0.7, 4, 7};
  return result;
}

Graph linear() {
  Graph graph;
  Builder b(graph);
  const Value flat = b.reshape(b.input("x", {Kind::real, {kBatch, 1, 4, 4}}), {kBatch, 16});
  b.output("y", b.matmul(flat, b.constant(Tensor::of<double>({16, 1}, weights()))));
  return graph;
}

// The attribution itself, and its negative with every value given to the next player but two.
Scoring good_and_bad() {
  Tensor x(DType::f64, {1, 1, 4, 4});
  for (double& value : x.mutable_data<double>()) value = 1;
  Question question{{x}, 0, Tensor(DType::f64, {1, 1, 4, 4}), pixel_players(4, 4)};
  Scoring scoring(linear(), {question});
  scoring.objects = {box(10)};
  scoring.add("gradient_x_input");
  std::vector<double> bad = weights();
  std::rotate(bad.begin(), bad.begin() + 3, bad.end());
  for (double& value : bad) value = -value;
  scoring.add_elements("gradient_x_input", {bad});
  return scoring;
}

TEST_P(MetricProperties, ABadAttributionScoresWorse) {
  const MetricCategory category = metric().category;
  if (category != MetricCategory::faithfulness && category != MetricCategory::localisation) return;
  Scoring scoring = good_and_bad();
  const Scores scores = scoring.score(GetParam());
  const double good = scores[0][0].value, bad = scores[1][0].value;
  EXPECT_TRUE(metric().better == Better::higher ? good > bad : good < bad) << good << " against " << bad;
}

TEST_P(MetricProperties, TheExactAttributionOfALinearNetworkIsPerfect) {
  if (metric().category != MetricCategory::faithfulness) return;
  Scoring scoring = good_and_bad();
  const Score score = scoring.score(GetParam())[0][0];
  ASSERT_TRUE(score.defined()) << score.undefined;
  if (GetParam() == "deletion" || GetParam() == "insertion") {
    // No other order of the players is better: here are a hundred.
    std::vector<double> values(16);
    Scoring others = good_and_bad();
    for (uint64_t i = 0; i < 100; ++i) {
      const std::vector<int64_t> order = Random(5).permutation(i, 16);
      std::copy(order.begin(), order.end(), values.begin());
      others.add_elements("occlusion", {values});
    }
    for (const auto& other : others.score(GetParam())) {
      const double better =
          metric().better == Better::lower ? other[0].value - score.value : score.value - other[0].value;
      EXPECT_GE(better, -1e-12);
    }
    return;
  }
  EXPECT_NEAR(score.value, metric().better == Better::higher ? 1 : 0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, MetricProperties, testing::ValuesIn(names_of_rating_metrics()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ascribe::core
