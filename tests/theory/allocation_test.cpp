// The allocation rules: their weights by hand, and the running methods on monomials, where what a method that is linear
// in f returns is its weight.
#include "theory/allocation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

using Degree = std::vector<int>;

std::vector<double> weights_of(const std::string& method, const Degree& degree, const AllocationContext& context = {}) {
  return weights(allocation_rule(method), context, degree);
}

TEST(Allocation, EveryMethodOfThePaperHasARule) {
  std::vector<std::string> numbered;
  for (const std::string& name : method_names()) {
    if (method_named(name).number > 0) numbered.push_back(name);
  }
  EXPECT_EQ(numbered.size(), 14U);
  EXPECT_EQ(allocation_names(), numbered) << "the theorems come in the order of the paper's methods";
  expect_error(ErrorKind::unsupported, "there is no allocation rule", [] { allocation_rule("gradient"); });
}

// The paper's example x1^2 x2 x3^2.
TEST(Allocation, ATermOfThreePlayersIsSharedByDegreeOrEqually) {
  const Degree degree = {2, 1, 2};
  EXPECT_EQ(weights_of("integrated_gradients", degree), (std::vector<double>{0.4, 0.2, 0.4}));
  EXPECT_EQ(weights_of("shapley", degree), (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
  EXPECT_EQ(weights_of("occlusion", degree), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(weights_of("gradient_x_input", degree), (std::vector<double>{0, 0, 0}));
}

TEST(Allocation, FirstOrderRulesTakeTheSlopeOnly) {
  for (const char* name : {"gradient_x_input", "lrp_epsilon", "grad_cam"}) {
    EXPECT_EQ(weights_of(name, {0, 1, 0}), (std::vector<double>{0, 1, 0})) << name;
    EXPECT_EQ(weights_of(name, {0, 2, 0}), (std::vector<double>{0, 0, 0})) << name;
    EXPECT_EQ(weights_of(name, {1, 1, 0}), (std::vector<double>{0, 0, 0})) << name;
  }
}

TEST(Allocation, WindowsShareWhatTheyMeetAndOverlappingOnesAverage) {
  const AllocationContext context{.windows = {{0, 1}, {1, 2}}};
  // Player 3 is in no window.
  EXPECT_EQ(weights_of("occlusion_patch", {1, 0, 0, 0}, context), (std::vector<double>{1, 0.5, 0, 0}));
  EXPECT_EQ(weights_of("occlusion_patch", {0, 3, 0, 1}, context), (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(weights_of("occlusion_patch", {0, 0, 0, 2}, context), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Allocation, AlphaBetaGivesEveryEffectToBothGroups) {
  // N+ = {0, 1}, N- = {2, 3}: a zero belongs to N-.
  const AllocationContext context{.z = {3, 1, -2, 0}, .alpha = 2, .beta = -1};
  EXPECT_EQ(weights_of("lrp_alpha_beta", {1, 0, 2, 1}, context), (std::vector<double>{2, 0, -2.0 / 3, -1.0 / 3}));
  // An effect of one player of N- alone goes to N+ by z: the leak that the paper leaves out.
  EXPECT_EQ(weights_of("lrp_alpha_beta", {0, 0, 1, 0}, context), (std::vector<double>{1.5, 0.5, -1, 0}));
  EXPECT_EQ(weights_of("deep_taylor", {0, 0, 1, 0}, context), (std::vector<double>{0.75, 0.25, 0, 0}));
  for (const Degree& degree : {Degree{1, 0, 0, 0}, Degree{0, 2, 0, 1}, Degree{0, 0, 3, 0}}) {
    const auto w = weights_of("lrp_alpha_beta", degree, context);
    EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0), 1, 1e-15) << "alpha + beta = 1 allocates everything";
  }
}

TEST(Allocation, AnEmptyGroupLosesItsShare) {
  const AllocationContext context{.z = {3, 1}, .alpha = 2, .beta = -1};
  EXPECT_EQ(weights_of("lrp_alpha_beta", {1, 1}, context), (std::vector<double>{1, 1})) << "2 of it, not 1";
  const AllocationContext negative{.z = {-3, -1}, .alpha = 2, .beta = -1};
  EXPECT_EQ(weights_of("deep_taylor", {1, 1}, negative), (std::vector<double>{0, 0}));
}

TEST(Allocation, RevealCancelHalvesWhatBothGroupsDo) {
  const AllocationContext context{.z = {3, 1, -2}};
  EXPECT_EQ(weights_of("deeplift_reveal_cancel", {2, 1, 0}, context), (std::vector<double>{2.0 / 3, 1.0 / 3, 0}));
  EXPECT_EQ(weights_of("deeplift_reveal_cancel", {2, 2, 5}, context), (std::vector<double>{0.25, 0.25, 0.5}));
  EXPECT_EQ(weights_of("deeplift_reveal_cancel", {0, 0, 4}, context), (std::vector<double>{0, 0, 1}));
  expect_error(ErrorKind::internal, "3 players with 0 values", [] {
    weights_of("deeplift_reveal_cancel", {1, 1, 1}, {});
  });
}

TEST(Allocation, RulesThatLookAtTheSupportOnlySaySo) {
  const AllocationContext context{.windows = {{0, 1}, {2}}, .z = {3, 1, -2}};
  for (const std::string& name : allocation_names()) {
    const AllocationRule& rule = allocation_rule(name);
    bool depends = false;
    for (const Degree& degree : {Degree{2, 0, 0}, Degree{3, 1, 0}, Degree{1, 2, 2}}) {
      Degree support = degree;
      for (int& d : support) d = std::min(d, 1);
      depends |= weights(rule, context, degree) != weights(rule, context, support);
    }
    EXPECT_EQ(rule.depends_on_support_only, !depends) << name;
  }
}

TEST(Allocation, DividendsAreNotEnoughForRulesByDegree) {
  const Effects dividends{.players = 2, .effects = {{{0, 1}, {}, 3}, {{1}, {}, 1}}};
  EXPECT_EQ(allocate(allocation_rule("shapley"), {}, dividends), (std::vector<double>{1.5, 2.5}));
  expect_error(ErrorKind::internal, "do not determine",
               [&] { allocate(allocation_rule("integrated_gradients"), {}, dividends); });
  const Dividends table{.players = 2, .values = {7, 0, 1, 3}};  // f(b), {0}, {1}, {0, 1}
  EXPECT_EQ(allocate(allocation_rule("shapley"), {}, table), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(allocate(allocation_rule("occlusion"), {}, table), (std::vector<double>{3, 4}));
}

// ---- the running methods, term by term ----

const std::vector<double> kPoint = {0.7, -1.2, 0.4, 1.5}, kBaseline = {-0.3, 0.5, 1.1, 0.2};

// The product of (x_i - centre_i)^kappa_i, of powers written as products.
Graph monomial(const Degree& degree, const std::vector<double>& centre) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, std::ssize(centre)}});
  Value product;
  for (size_t i = 0; i < degree.size(); ++i) {
    const Value shifted = b.add(b.slice(x, 1, static_cast<int64_t>(i), 1), -centre[i]);
    for (int k = 0; k < degree[i]; ++k) product = product.valid() ? b.mul(product, shifted) : shifted;
  }
  b.output("y", product);
  return graph;
}

std::vector<double> run(const std::string& name, const Graph& graph, const std::map<std::string, std::string>& given) {
  ExplainedModel model(graph, {.real = DType::f64});
  const Question question{{Tensor::of<double>({1, 4}, kPoint)},
                          0,
                          Tensor::of<double>({1, 4}, kBaseline),
                          make_players({"elements", {4}, {}, {}, nullptr})};
  const Method& method = method_named(name);
  return attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters, given))[0].values;
}

std::vector<Degree> degrees() {
  return {{1, 0, 0, 0}, {3, 0, 0, 0}, {1, 1, 0, 0}, {2, 1, 2, 0}, {1, 0, 1, 1}, {1, 2, 1, 3}, {0, 0, 0, 5}};
}

// I(kappa) of the monomial centred at b is (x - b)^kappa, and there is no other term.
TEST(Allocation, MethodsThatAreLinearInFReturnTheirWeightsOnMonomials) {
  const std::map<std::string, std::map<std::string, std::string>> methods = {
      {"occlusion", {}}, {"occlusion_patch", {{"size", "2"}}},       {"prediction_difference", {}},
      {"shapley", {}},   {"integrated_gradients", {{"steps", "8"}}}, {"expected_gradients", {{"steps", "8"}}}};
  const AllocationContext context{.windows = {{0, 1}, {2, 3}}};
  for (const auto& [name, given] : methods) {
    for (const Degree& degree : degrees()) {
      const std::vector<double> a = run(name, monomial(degree, kBaseline), given);
      const std::vector<double> w = weights_of(name, degree, context);
      double effect = 1;
      for (size_t i = 0; i < degree.size(); ++i) effect *= std::pow(kPoint[i] - kBaseline[i], degree[i]);
      for (size_t i = 0; i < w.size(); ++i) {
        EXPECT_NEAR(a[i], w[i] * effect, 1e-12 * std::abs(effect)) << name << " player " << i;
      }
    }
  }
}

// Centred at x, I_x(kappa) = -(-x)^kappa: gradient x input sees the slopes and nothing else.
TEST(Allocation, GradientXInputReturnsItsWeightsOnMonomialsCentredAtX) {
  for (const Degree& degree : degrees()) {
    const std::vector<double> a = run("gradient_x_input", monomial(degree, kPoint), {});
    const std::vector<double> w = weights_of("gradient_x_input", degree);
    double effect = -1;
    for (size_t i = 0; i < degree.size(); ++i) effect *= std::pow(-kPoint[i], degree[i]);
    for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(a[i], w[i] * effect, 1e-12) << "player " << i;
  }
}

// The paper's study room: 3 book + 2 desk lamp book, everything present, nothing as the baseline.
TEST(Allocation, TheStudyRoom) {
  const Effects room{.players = 3, .effects = {{{2}, {1}, 3}, {{0, 1, 2}, {1, 1, 1}, 2}}};  // desk, lamp, book
  EXPECT_EQ(allocate(allocation_rule("occlusion"), {}, room), (std::vector<double>{2, 2, 5}));
  const auto shapley = allocate(allocation_rule("shapley"), {}, room);
  EXPECT_NEAR(shapley[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(shapley[2], 3 + 2.0 / 3, 1e-15);
  EXPECT_EQ(allocate(allocation_rule("gradient_x_input"), {}, room), (std::vector<double>{0, 0, 3}));
}

}  // namespace
}  // namespace ascribe::core
