#include "study/work_cost.h"

#include <cmath>

#include <gtest/gtest.h>

#include "methods/foreign.h"

namespace ascribe::core::study {
namespace {

Players columns(int32_t count) {
  Players players;
  for (int32_t i = 0; i < count; ++i) {
    players.owner.push_back(i);
    players.names.push_back(fmt::format("column {}", i));
  }
  return players;
}

WorkCost cost(const std::vector<MethodWish>& methods, const std::vector<std::string>& metrics,
              const std::vector<std::string>& metric_settings = {}, int64_t baselines = 1) {
  const Players players = columns(4);
  return cost_of_row(choose_methods(methods, {}), choose_metrics(metrics, metric_settings),
                     {players, baselines, false});
}

TEST(WorkCost, IsWhatMethodsAndMetricsAskFor) {
  EXPECT_EQ(cost({"occlusion"}, {"completeness"}).passes.forward, 1 + 4);
  EXPECT_EQ(cost({"shapley"}, {}).passes.forward, std::exp2(4));
  // Every disturbed input asks the method again.
  EXPECT_EQ(cost({"occlusion"}, {"max_sensitivity"}, {"samples=7"}).passes.forward, 5 + 7 * 5);
  EXPECT_EQ(cost({"occlusion"}, {"faithfulness_correlation"}, {"subsets=20"}, 3).passes.forward, 3 * 5 + 3 * 20);
  EXPECT_EQ(cost({"occlusion"}, {"non_sensitivity"}).passes.forward, 5 + 4);
  EXPECT_EQ(cost({"occlusion"}, {"parameter_randomisation"}).passes.forward, 2 * 5);
  EXPECT_EQ(cost({}, {"order_spectrum"}).passes.forward, std::exp2(4));
}

TEST(WorkCost, GrowsWithRowsAndIsTimedByOne) {
  const WorkCost ten = of_rows(cost({"occlusion"}, {}), 10, Pace{0.5, 1});
  EXPECT_EQ(ten.passes.forward, 50);
  EXPECT_EQ(*ten.seconds, 25);
  EXPECT_NE(ten.words().find("10 rows × 1 method × 0 metrics: up to 50 passes of the network, at most about 25 s"),
            std::string::npos)
      << ten.words();
}

// Whoever adds a metric tells here what it costs, or users are told that nobody knows.
TEST(WorkCost, KnowsEveryMetricThatIsRegistered) {
  Players players = columns(16);
  players.image = ImageShape{PixelLayout::chw, 1, 4, 4, 16};
  for (const std::string& name : metric_names()) {
    const WorkCost one = cost_of_row(choose_methods({"occlusion"}, {}), choose_metrics({name}, {}), {players});
    EXPECT_TRUE(one.unknown.empty()) << name;
  }
}

TEST(WorkCost, SaysWhatItDoesNotKnow) {
  const auto own = std::make_shared<Method>();
  own->name = "mine";
  own->source = kForeignSource;
  const WorkCost one = of_rows(cost({MethodWish(own)}, {}), 3, std::nullopt);
  EXPECT_EQ(one.unknown, std::vector<std::string>{"mine"});
  EXPECT_FALSE(one.seconds);
  EXPECT_NE(one.words().find("how long is not known"), std::string::npos) << one.words();
  EXPECT_NE(one.words().find("not counted, because it is not known: mine"), std::string::npos) << one.words();
}

}  // namespace
}  // namespace ascribe::core::study
