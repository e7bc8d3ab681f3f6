// Standard errors of sampled Deep SHAP: what intervals made of them cover.
#include <gtest/gtest.h>

#include "base/student.h"
#include "methods/group_errors.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Graph network(const std::string& activation) {
  Graph graph;
  SmallNetwork net(graph, 11);
  Value x = net.b.input("x", real({kBatch, 12}));
  x = net.b.op(activation, {net.dense(x, 12, 12)});
  x = net.b.op(activation, {net.dense(x, 12, 12)});
  net.b.output("y", net.dense(x, 12, 1));
  return graph;
}

const Question kQuestion = ask_about(random_tensor({1, 12}, 21, 2), random_tensor({1, 12}, 22, 2));

// 95 % intervals for 12 players by 250 seeds. Players of one seed are not independent; if they counted as one, the
// standard error of the share that is covered would be 1.4 %, and two of them are allowed. (By 400 seeds 94.4 to 95.5 %
// were covered with 4, 8, 16 and 20 samples.)
TEST(DeepShapErrors, IntervalsCoverTheExactValues) {
  for (const char* activation : {"relu", "tanh"}) {
    const Graph graph = network(activation);
    ExplainedModel model = double_model(graph);
    const Method& method = method_named("deep_shap");
    const auto asked = [&](const Settings& settings, uint64_t seed) {
      return attribute(method, model, std::span(&kQuestion, 1), Parameters("deep_shap", method.parameters, settings),
                       seed)[0];
    };
    const Attribution exact = asked({{"exact", "12"}}, 0);
    EXPECT_TRUE(exact.standard_errors.empty());
    for (const int64_t samples : {4, 20}) {
      const double quantile = student_quantile(0.95, static_cast<double>(std::min<int64_t>(samples, 8) - 1));
      double covered = 0, asked_for = 0, squares = 0, claimed = 0;
      for (uint64_t seed = 1; seed <= 250; ++seed) {
        const Attribution a = asked({{"exact", "1"}, {"samples", std::to_string(samples)}}, seed);
        ASSERT_EQ(a.standard_errors.size(), a.values.size());
        for (size_t i = 0; i < a.values.size(); ++i) {
          const double off = a.values[i] - exact.values[i];
          covered += std::abs(off) <= quantile * a.standard_errors[i] ? 1 : 0;
          ++asked_for;
          squares += off * off;
          claimed += a.standard_errors[i] * a.standard_errors[i];
        }
      }
      SCOPED_TRACE(fmt::format("{} {}: {:.3f} covered, error {:.4g}, claimed {:.4g}", activation, samples,
                               covered / asked_for, std::sqrt(squares / asked_for), std::sqrt(claimed / asked_for)));
      EXPECT_GT(covered / asked_for, 0.922);
      EXPECT_LT(covered / asked_for, 0.978);
      // The errors are those of the mean, not too small and not by much too large.
      EXPECT_NEAR(std::sqrt(claimed / squares), 1, 0.1);
    }
  }
}

TEST(DeepShapErrors, ANoteSaysHowToReadThem) {
  const Graph graph = network("relu");
  const Attribution a = ask("deep_shap", graph, kQuestion, {{"exact", "1"}, {"samples", "4"}});
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_EQ(
      a.notes[0],
      "neurons with more than 1 inputs are sampled: 4 permutations and their reverses; 95 % intervals are +- 3.18 "
      "standard errors, from 4 pairs");
  EXPECT_FALSE(a.exact);
  const Attribution one = ask("deep_shap", graph, kQuestion, {{"exact", "1"}, {"samples", "1"}});
  EXPECT_TRUE(one.standard_errors.empty());
}

// Over several baselines the draws are the same: the errors are those of the mean attribution, not of one row.
TEST(DeepShapErrors, SeveralBaselinesShareTheirDraws) {
  const Graph graph = network("relu");
  const Tensor one = random_tensor({1, 12}, 22, 2);
  std::vector<double> twice = values_of(one);
  twice.insert(twice.end(), twice.begin(), twice.end());
  const Settings settings = {{"exact", "1"}, {"samples", "6"}};
  const Attribution a = ask("deep_shap", graph, kQuestion, settings);
  const Attribution b =
      ask("deep_shap", graph, ask_about(kQuestion.point[0], Tensor::of<double>({2, 12}, twice)), settings);
  expect_values(b.standard_errors, a.standard_errors, 1e-12);
}

TEST(DeepShapErrors, CompiledAndRunningMethodsAgree) {
  const Graph graph = network("tanh");
  const Settings settings = {{"exact", "6"}, {"samples", "5"}};
  expect_values(values_of(ask_compiled("deep_shap", graph, kQuestion, settings, 3)),
                ask("deep_shap", graph, kQuestion, settings, 3).values, 1e-12);
}

// Draws 1, 2, 4 | 5: group means 7/3 and 5, mean 3; 3 (2/3)^2 + 2^2 = 16/3 over one degree of freedom, over 4 draws.
TEST(GroupErrors, UnequalGroupsCountByTheirDraws) {
  const std::vector<std::vector<double>> groups = {{7.0 / 3}, {5}};
  const std::vector<int64_t> sizes = {3, 1};
  const auto errors = standard_errors_of_groups(groups, sizes);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NEAR(errors[0], std::sqrt(16.0 / 3 / 4), 1e-14);
  EXPECT_TRUE(standard_errors_of_groups(std::span(groups).first(1), std::span(sizes).first(1)).empty());
}

}  // namespace
}  // namespace ascribe::core
