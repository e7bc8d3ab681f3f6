#include "methods/path_integral.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "derivatives/networks.h"
#include "methods/gauss_legendre.h"
#include "support/ask.h"
#include "support/errors.h"
#include "support/slow_methods.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

const std::string kIntegrated = "integrated_gradients", kExpected = "expected_gradients";

// ---- quadrature ----

TEST(GaussLegendre, NodesIntegratePolynomialsOfDegreeTwiceTheirNumber) {
  for (const int64_t n : {1, 2, 3, 8, 33, 200}) {
    const Quadrature& rule = gauss_legendre(n);
    for (const int64_t degree : {int64_t{0}, n, 2 * n - 1}) {
      double sum = 0;
      for (size_t j = 0; j < rule.nodes.size(); ++j) {
        sum += rule.weights[j] * std::pow(rule.nodes[j], static_cast<double>(degree));
      }
      EXPECT_NEAR(sum, 1 / static_cast<double>(degree + 1), 1e-14) << n << " nodes, degree " << degree;
    }
    EXPECT_TRUE(std::is_sorted(rule.nodes.begin(), rule.nodes.end()));
  }
}

TEST(GaussLegendre, OneDegreeMoreIsNotExact) {
  const Quadrature& rule = gauss_legendre(2);
  EXPECT_NEAR(rule.nodes[0], 0.5 - std::sqrt(3.0) / 6, 1e-15);
  const double fourth = 0.5 * (std::pow(rule.nodes[0], 4) + std::pow(rule.nodes[1], 4));
  EXPECT_GT(std::abs(fourth - 0.2), 1e-3);
}

TEST(GaussLegendre, IsComputedOnce) { EXPECT_EQ(&gauss_legendre(17), &gauss_legendre(17)); }

// ---- integrated gradients ----

// f = x0^2 x1.
Graph cubic() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  const Value first = b.slice(x, 1, 0, 1), second = b.slice(x, 1, 1, 1);
  b.output("y", b.mul(b.mul(first, first), second));
  return graph;
}

const Tensor kPoint = Tensor::of<double>({1, 2}, {3, -2});

// Along (3t, -2t): (3) int 2 * 3t * -2t dt = -12 and (-2) int 9 t^2 dt = -6.
TEST(IntegratedGradients, OfACubicAreItsThirds) {
  expect_values(ask(kIntegrated, cubic(), ask_about(kPoint)).values, {-12, -6}, 1e-13);
  expect_values(ask(kIntegrated, cubic(), ask_about(kPoint), {{"steps", "2"}}).values, {-12, -6}, 1e-13);
  // One node, t = 1/2, is not enough: 3 * 2 * 1.5 * -1 and -2 * 1.5^2.
  const Attribution one = ask(kIntegrated, cubic(), ask_about(kPoint), {{"steps", "1"}});
  expect_values(one.values, {-9, -4.5}, 1e-13);
  EXPECT_NEAR(one.residual, -4.5, 1e-13);
  EXPECT_FALSE(one.exact);
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_NE(one.notes[0].find("missed its tolerance"), std::string::npos) << one.notes[0];
}

// A polynomial of degree d has a gradient of degree d - 1 along the path: (d + 1) / 2 nodes are exact.
TEST(IntegratedGradients, AreExactOnPolynomialsWithEnoughNodes) {
  for (const int degree : {2, 5, 9}) {
    const Graph graph = ProductOfForms(4, 3, degree).graph();
    const Question question = ask_about(random_tensor({1, 4}, 1), random_tensor({1, 4}, 2));
    const auto with = [&](int nodes) { return ask(kIntegrated, graph, question, {{"steps", std::to_string(nodes)}}); };
    const int nodes = (degree + 1) / 2;
    const Attribution exact = with(40), enough = with(nodes);
    const double scale = std::abs(exact.output) + std::abs(exact.baseline_output) + 1;
    expect_values(enough.values, exact.values, 1e-12 * scale);
    EXPECT_NEAR(enough.residual, 0, 1e-12 * scale);
    EXPECT_TRUE(enough.exact);
    if (nodes > 1) {
      EXPECT_GT(std::abs(with(nodes - 1).residual), 1e-9 * scale);
    }
  }
}

// 400 midpoints and differences of step 1e-5 are good for about 1e-6.
TEST(IntegratedGradients, AreWhatManyMidpointsGive) {
  const Graph graph = sigmoid_network(5, 6);
  const Tensor x = random_tensor({1, 5}, 11), b = random_tensor({1, 5}, 12);
  const Attribution a = ask(kIntegrated, graph, ask_about(x, b, 2));
  expect_values(a.values, slow_integrated_gradients(graph, x, b, 2, 400), 5e-6);
  EXPECT_NEAR(a.output, slow_value(graph, x, 2), 1e-12);
  EXPECT_NEAR(a.baseline_output, slow_value(graph, b, 2), 1e-12);
}

TEST(IntegratedGradients, AdaptUntilTheToleranceHolds) {
  const Graph graph = sigmoid_network(5, 6, 4);  // steep
  const Question question = ask_about(random_tensor({1, 5}, 11, 3));
  int64_t before = 0;
  for (const std::string tolerance : {"1e-1", "1e-4", "1e-12"}) {
    const Attribution a = ask(kIntegrated, graph, question, {{"tolerance", tolerance}});
    EXPECT_TRUE(a.exact);
    EXPECT_TRUE(a.notes.empty());
    EXPECT_LE(std::abs(a.residual), std::stod(tolerance) * std::abs(a.output - a.baseline_output) + 1e-14);
    EXPECT_GE(a.evaluations, before) << "a smaller tolerance costs more";
    before = a.evaluations;
  }
  EXPECT_GT(before, 2 * (8 + 2)) << "the first eight nodes were not enough";
}

TEST(IntegratedGradients, StopAtTheBudgetAndSaySo) {
  const Attribution a = ask(kIntegrated, small_mlp(), ask_about(random_tensor({1, 1, 4, 4}, 3)), {{"most", "100"}});
  EXPECT_FALSE(a.exact);
  EXPECT_GT(std::abs(a.residual), 1e-9);
  EXPECT_LE(a.evaluations, 2 * (100 + 2));
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_NE(a.notes[0].find("'most' allows more"), std::string::npos) << a.notes[0];
}

// relu(x0 - 1/3): the integral is the kink's position, which pieces close in on.
TEST(IntegratedGradients, PiecesCloseInOnAKink) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 1}});
  b.output("y", b.op("relu", {b.add(x, -1.0 / 3)}));
  const Attribution a = ask(kIntegrated, graph, ask_about(Tensor::of<double>({1, 1}, {1.0})), {{"tolerance", "1e-6"}});
  EXPECT_TRUE(a.exact);
  EXPECT_NEAR(a.values[0], 2.0 / 3, 1e-6);
  EXPECT_LT(a.evaluations, 2 * 400) << "twenty halvings of one piece";
}

std::vector<PathIntegral> integrals(const Graph& graph, std::span<const Question> questions, Road road,
                                    const PathRule& rule = {}) {
  ExplainedModel model = double_model(graph);
  std::vector<Path> paths;
  for (const Question& question : questions) paths.push_back({&question, question.baselines.data<double>()});
  std::vector<PathIntegral> results;
  const auto keep = [&](size_t path, PathIntegral&& result) {
    EXPECT_EQ(path, results.size());
    results.push_back(std::move(result));
  };
  integrate_paths(model, paths, rule, keep, {}, road);
  return results;
}

TEST(PathIntegral, BehindALinearLayerIsTheSame) {
  for (const Graph& graph : {small_mlp("sigmoid"), small_cnn(true), small_vit()}) {
    std::vector<Question> questions;
    for (uint64_t i = 0; i < 3; ++i) {
      questions.push_back(ask_about(random_tensor({1, 1, 4, 4}, i), random_tensor({1, 1, 4, 4}, 9), int64_t{2}));
    }
    ExplainedModel model = double_model(graph);
    EXPECT_NE(PathSpace(model, Road::behind).size(), 16) << "there is no linear layer";
    const auto plain = integrals(graph, questions, Road::plain), behind = integrals(graph, questions, Road::behind);
    for (size_t i = 0; i < questions.size(); ++i) {
      expect_values(behind[i].values, plain[i].values, 1e-13);
      EXPECT_NEAR(behind[i].output, plain[i].output, 1e-13);
      EXPECT_NEAR(behind[i].baseline_output, plain[i].baseline_output, 1e-13);
      EXPECT_EQ(behind[i].nodes, plain[i].nodes);
    }
  }
}

TEST(PathIntegral, GoesBehindALinearLayerOnlyIfThatIsSmaller) {
  ExplainedModel narrow = double_model(small_mlp()), wide = double_model(small_cnn());
  EXPECT_EQ(PathSpace(narrow, Road::shorter).size(), 8);
  EXPECT_EQ(PathSpace(wide, Road::shorter).size(), 16) << "48 numbers behind the convolution";
}

// Enough paths for several groups and batches; each piece is summed in the order of its nodes.
TEST(PathIntegral, ThreadsAndCompanyDoNotChangeAPath) {
  const Graph graph = sigmoid_network(40, 30, 0.3);
  std::vector<Question> questions;
  for (uint64_t i = 0; i < 150; ++i) {
    questions.push_back(ask_about(random_tensor({1, 40}, i), random_tensor({1, 40}, 500 + i % 3)));
  }
  const int before = thread_count();
  set_thread_count(1);
  const auto one = integrals(graph, questions, Road::plain, {50});
  set_thread_count(2);
  const auto two = integrals(graph, questions, Road::plain, {50});
  set_thread_count(before);
  for (const size_t i : {size_t{0}, size_t{77}, size_t{149}}) {
    EXPECT_EQ(one[i].values, two[i].values);
    expect_values(integrals(graph, std::span(&questions[i], 1), Road::plain, {50})[0].values, two[i].values, 1e-12);
  }
}

// Kinks everywhere: what is missed falls so slowly that no number of nodes below `most` reaches the tolerance.
TEST(IntegratedGradients, StopsWhenMoreNodesDoNotPay) {
  const Graph graph = small_cnn();
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 3), random_tensor({1, 1, 4, 4}, 4), int64_t{1});
  const std::map<std::string, std::string> all = {{"tolerance", "1e-12"}, {"most", "4096"}};
  std::map<std::string, std::string> enough = all;
  enough["enough"] = "0.01";
  const Attribution whole = ask(kIntegrated, graph, question, all), early = ask(kIntegrated, graph, question, enough);
  EXPECT_LT(early.evaluations, whole.evaluations / 2);
  EXPECT_FALSE(early.exact) << "it does not claim what it did not reach";
  EXPECT_LE(std::abs(early.residual), 0.01 * std::abs(early.output - early.baseline_output));
  double difference = 0, sum = 0;
  for (size_t i = 0; i < whole.values.size(); ++i) {
    difference += std::abs(whole.values[i] - early.values[i]);
    sum += std::abs(whole.values[i]);
  }
  EXPECT_LT(difference, 0.05 * sum);
}

TEST(IntegratedGradients, GoesOnWhereTheToleranceIsWithinReach) {
  const Question question = ask_about(random_tensor({1, 5}, 1), random_tensor({1, 5}, 2));
  const Graph graph = sigmoid_network(5, 6, 4.0);
  const Attribution usual = ask(kIntegrated, graph, question),
                    early = ask(kIntegrated, graph, question, {{"enough", "0.5"}});
  EXPECT_TRUE(early.exact);
  EXPECT_EQ(early.values, usual.values);
}

TEST(IntegratedGradients, SeveralBaselinesAverage) {
  const Graph graph = sigmoid_network(5, 6);
  const Tensor x = random_tensor({1, 5}, 1), b = random_tensor({2, 5}, 2);
  const auto row = [&](size_t r) { return Tensor::of<double>({1, 5}, b.data<double>().subspan(5 * r, 5)); };
  const Attribution first = ask(kIntegrated, graph, ask_about(x, row(0))),
                    second = ask(kIntegrated, graph, ask_about(x, row(1)));
  std::vector<double> mean;
  for (size_t i = 0; i < 5; ++i) mean.push_back((first.values[i] + second.values[i]) / 2);
  for (const std::string& method : {kIntegrated, kExpected}) {
    const Attribution a = ask(method, graph, ask_about(x, b));
    expect_values(a.values, mean, 1e-9);  // both stop at a tolerance of 1e-9
    EXPECT_NEAR(a.baseline_output, (first.baseline_output + second.baseline_output) / 2, 1e-12);
    EXPECT_TRUE(a.standard_errors.empty());
  }
}

// What nobody owns stays at x and gets nothing.
TEST(IntegratedGradients, ElementsWithoutAPlayerDoNotMove) {
  Question question = ask_about(kPoint);
  question.players.owner = {0, -1};
  question.players.names = {"first"};
  const Attribution a = ask(kIntegrated, cubic(), question);
  expect_values(a.values, {-18}, 1e-12);  // f(x) - f(0, -2)
  EXPECT_EQ(a.elements.at(1), 0);
  EXPECT_NEAR(a.residual, 0, 1e-12);
}

TEST(IntegratedGradients, TheCompiledGraphIsTheSame) {
  const Graph graph = small_resnet();
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), random_tensor({3, 1, 4, 4}, 6), 1);
  for (const std::string& method : {kIntegrated, kExpected}) {
    const Settings settings = {{"steps", "7"}};
    const Tensor compiled = ask_compiled(method, graph, question, settings);
    expect_values(values_of(compiled), ask(method, graph, question, settings).values, 1e-12);
  }
  CompileOptions adaptive;
  adaptive.method = kIntegrated;
  const Explanation explanation = compile_explanation(graph, adaptive);
  ASSERT_EQ(explanation.notes.size(), 1U);
  EXPECT_NE(explanation.notes[0].find("steps=0 stands for 32"), std::string::npos) << explanation.notes[0];
}

TEST(IntegratedGradients, RefuseImpossibleParameters) {
  const Question question = ask_about(kPoint);
  const auto with = [&](const Settings& settings) {
    return [&, settings] { ask(kIntegrated, cubic(), question, settings); };
  };
  expect_error(ErrorKind::argument, "steps = '-1' is not possible", with({{"steps", "-1"}}));
  expect_error(ErrorKind::argument, "has no parameter 'nodes'; expected one of steps, tolerance, most",
               with({{"nodes", "3"}}));
}

// ---- expected gradients ----

const Tensor kBackground = random_tensor({12, 5}, 40);

TEST(ExpectedGradients, DrawSomeOfTheBackgroundWithAnError) {
  const Graph graph = sigmoid_network(5, 6);
  const Question question = ask_about(random_tensor({1, 5}, 1), kBackground);
  const Attribution all = ask(kExpected, graph, question);
  const Attribution some = ask(kExpected, graph, question, {{"samples", "8"}}, 3);
  ASSERT_EQ(some.standard_errors.size(), 5U);
  EXPECT_FALSE(some.exact);
  EXPECT_NEAR(some.residual, 0, 1e-8) << "complete with regard to the drawn baselines";
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_GT(some.standard_errors[i], 0);
    EXPECT_NEAR(some.values[i], all.values[i], 4 * some.standard_errors[i]);
  }
  expect_values(ask(kExpected, graph, question, {{"samples", "12"}}, 3).values, all.values, 0);
  EXPECT_NE(ask(kExpected, graph, question, {{"samples", "8"}}, 4).values, some.values) << "another seed";
  expect_error(ErrorKind::argument, "more than the background has; expected at most 12", [&] {
    ask(kExpected, graph, question, {{"samples", "13"}});
  });
}

// The squares of the distance over the squares of the error average to about one.
TEST(ExpectedGradients, RandomPointsScatterAsTheirErrorsSay) {
  const Graph graph = sigmoid_network(5, 6);
  const Question question = ask_about(random_tensor({1, 5}, 1), kBackground);
  const Attribution exact = ask(kExpected, graph, question);
  double squares = 0;
  constexpr int kRuns = 20;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const Attribution a = ask(kExpected, graph, question, {{"samples", "400"}, {"alpha", "random"}}, seed);
    for (size_t i = 0; i < 5; ++i) squares += std::pow((a.values[i] - exact.values[i]) / a.standard_errors[i], 2);
  }
  EXPECT_GT(squares / (5 * kRuns), 0.5);
  EXPECT_LT(squares / (5 * kRuns), 2.0);
}

// Of a linear function a_i = -w_i E(noise_i), and of w . x itself the sum is f(x) - mean f(b).
TEST(ExpectedGradients, AroundXAreCompleteWithRegardToTheirDraws) {
  const Graph graph = sigmoid_network(5, 6);
  const Attribution a = ask(kExpected, graph, ask_about(random_tensor({1, 5}, 1)),
                            {{"distribution", "gaussian"}, {"samples", "9"}, {"sigma", "0.5"}}, 2);
  EXPECT_NEAR(a.residual, 0, 1e-8);
  EXPECT_NE(a.baseline_output, a.output);
  EXPECT_EQ(a.standard_errors.size(), 5U);
  const Attribution still =
      ask(kExpected, graph, ask_about(random_tensor({1, 5}, 1)), {{"distribution", "gaussian"}, {"sigma", "0"}}, 2);
  expect_values(still.values, std::vector<double>(5, 0.0), 0);
}

TEST(ExpectedGradients, CompileWithTheWholeBackgroundOnly) {
  const Question question = ask_about(random_tensor({1, 5}, 1), kBackground);
  expect_error(ErrorKind::unsupported, "only distribution=background, samples=0", [&] {
    ask_compiled(kExpected, sigmoid_network(5, 6), question, {{"samples", "3"}});
  });
}

}  // namespace
}  // namespace ascribe::core
