// LRP: every rule against loops over z_ij, on dense layers and on a convolution as a matrix; what rules conserve.
#include "passes/relevance.h"

#include <numeric>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/errors.h"
#include "support/slow_relevance.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

double sum(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<Attribution> explain(const Graph& graph, const std::string& name, const Tensor& x, int64_t target,
                                 const std::map<std::string, std::string>& given = {}) {
  ExplainOptions options;
  options.real = DType::f64;
  ExplainedModel model(graph, options);
  Question question{{x}, target, Tensor(DType::f64, x.shape()), {}};
  for (int32_t i = 0; i < static_cast<int32_t>(x.size()); ++i) {
    question.players.owner.push_back(i);
    question.players.names.push_back(fmt::format("{}", i));
  }
  const Method& method = method_named(name);
  return attribute(method, model, std::span(&question, 1), Parameters(method.name, method.parameters, given));
}

Vector elements(const Graph& graph, const std::string& name, const Tensor& x, int64_t target,
                const std::map<std::string, std::string>& given = {}) {
  return values_of(explain(graph, name, x, target, given)[0].elements);
}

void expect_close(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

// ---- the rules as loops ----

Vector by_weight(const Vector& weights, double total, double relevance) {
  Vector shares;
  for (const double weight : weights) shares.push_back(total == 0 ? 0 : weight / total * relevance);
  return shares;
}

Vector products(const Vector& x, const Vector& w) {
  Vector z;
  for (size_t i = 0; i < x.size(); ++i) z.push_back(x[i] * w[i]);
  return z;
}

SlowRule slow_epsilon(double epsilon) {
  return [=](const Vector& x, const Vector& w, double bias, double relevance) {
    const Vector z = products(x, w);
    const double total = sum(z) + bias;
    return by_weight(z, total + (total < 0 ? -epsilon : epsilon), relevance);
  };
}

SlowRule slow_alpha_beta(double alpha, double beta) {
  return [=](const Vector& x, const Vector& w, double, double relevance) {
    Vector shares;
    const Vector z = products(x, w);
    double positive = 0, negative = 0;
    for (const double part : z) (part > 0 ? positive : negative) += part;
    for (const double part : z) {
      const double group = part > 0 ? positive : negative;
      shares.push_back(group == 0 ? 0 : (part > 0 ? alpha : beta) * part / group * relevance);
    }
    return shares;
  };
}

SlowRule slow_gamma(double gamma) {
  return [=](const Vector& x, const Vector& w, double bias, double relevance) {
    Vector z = products(x, w);
    const double plain = sum(z) + bias;
    const auto raised = [&](double part) { return part * plain > 0 ? (1 + gamma) * part : part; };
    for (double& part : z) part = raised(part);
    return by_weight(z, plain == 0 ? 0 : sum(z) + raised(bias), relevance);
  };
}

SlowRule slow_z_box(double low, double high) {
  return [=](const Vector& x, const Vector& w, double, double relevance) {
    Vector z;
    for (size_t i = 0; i < x.size(); ++i) z.push_back(w[i] * (x[i] - (w[i] > 0 ? low : high)));
    return by_weight(z, sum(z), relevance);
  };
}

SlowRule slow_w_square() {
  return [](const Vector&, const Vector& w, double, double relevance) {
    const Vector squares = products(w, w);
    return by_weight(squares, sum(squares), relevance);
  };
}

// A convolution as a matrix has zeros where it does not see; flat counts what it sees.
SlowRule slow_flat() {
  return [](const Vector&, const Vector& w, double, double relevance) {
    Vector ones;
    for (const double weight : w) ones.push_back(weight == 0 ? 0 : 1);
    return by_weight(ones, sum(ones), relevance);
  };
}

const std::map<std::string, std::pair<std::string, SlowRule>> kSlowRules = {
    {"epsilon", {"epsilon(epsilon=0.1)", slow_epsilon(0.1)}},
    {"alpha_beta", {"alpha_beta(alpha=2,beta=-1)", slow_alpha_beta(2, -1)}},
    {"z_plus", {"z_plus", slow_alpha_beta(1, 0)}},
    {"gamma", {"gamma(gamma=0.3)", slow_gamma(0.3)}},
    {"z_box", {"z_box(low=-3,high=2.5)", slow_z_box(-3, 2.5)}},
    {"w_square", {"w_square", slow_w_square()}},
    {"flat", {"flat", slow_flat()}},
};

// ---- networks that exist twice ----

struct Twice {
  Graph graph;
  std::vector<SlowLayer> slow;
};

Value dense(Builder& b, Value x, const SlowLayer& layer) {
  Vector flat;
  for (const Vector& row : layer.w) flat.insert(flat.end(), row.begin(), row.end());
  const Shape shape = {std::ssize(layer.w), std::ssize(layer.w[0])};
  const Value product = b.matmul(x, b.constant(Tensor::of<double>(shape, flat)), false, true);
  return b.add(product, b.constant(Tensor::of<double>({std::ssize(layer.bias)}, layer.bias)));
}

SlowLayer random_layer(int64_t inputs, int64_t outputs, uint64_t seed, bool biased) {
  SlowLayer layer;
  const Vector w = values_of(random_tensor({outputs, inputs}, seed));
  for (int64_t j = 0; j < outputs; ++j) layer.w.emplace_back(w.begin() + j * inputs, w.begin() + (j + 1) * inputs);
  layer.bias = values_of(random_tensor({outputs}, seed + 50, biased ? 0.5 : 0));
  layer.activation = [](double z) { return z; };
  return layer;
}

Twice mlp(const std::string& activation, bool biased = true) {
  Twice net;
  Builder b(net.graph);
  Value x = b.input("x", real({kBatch, 5}));
  const std::vector<std::pair<int64_t, int64_t>> sizes = {{5, 6}, {6, 4}, {4, 3}};
  for (size_t l = 0; l < sizes.size(); ++l) {
    SlowLayer layer = random_layer(sizes[l].first, sizes[l].second, 11 + l, biased);
    b.set_name(fmt::format("dense{}", l));
    x = dense(b, x, layer);
    if (l + 1 < sizes.size()) {
      x = b.op(activation, {x});
      if (activation == "relu") layer.activation = [](double z) { return z > 0 ? z : 0; };
      else layer.activation = [](double z) { return std::tanh(z); };
    }
    net.slow.push_back(layer);
  }
  b.output("y", x);
  return net;
}

// relu(conv) and a dense layer; the convolution's matrix comes from unit vectors.
Twice convolution() {
  Twice net;
  const Attributes attributes = {
      {"strides", ints({2, 1})}, {"pads", ints({1, 0, 1, 1})}, {"dilations", ints({1, 1})}, {"group", ints({2})}};
  const Tensor weight = random_tensor({4, 1, 3, 2}, 5), bias = random_tensor({4}, 6, 0.4);
  Graph bare;
  {
    Builder b(bare);
    b.output("y", b.op("conv", {b.input("x", real({kBatch, 2, 4, 3})), b.constant(weight)}, attributes));
  }
  SlowLayer layer;
  layer.w = matrix_of(bare, "x", {1, 2, 4, 3});
  const size_t places = layer.w.size() / 4;
  for (size_t j = 0; j < layer.w.size(); ++j) layer.bias.push_back(bias.at(static_cast<int64_t>(j / places)));
  layer.activation = [](double z) { return z > 0 ? z : 0; };
  net.slow = {layer, random_layer(std::ssize(layer.w), 3, 8, true)};
  Builder b(net.graph);
  const Value x = b.input("x", real({kBatch, 2, 4, 3}));
  b.set_name("conv");
  const Value y = b.op("relu", {b.op("conv", {x, b.constant(weight), b.constant(bias)}, attributes)});
  b.set_name("head");
  b.output("y", dense(b, b.reshape(y, {kBatch, std::ssize(layer.w)}), net.slow[1]));
  return net;
}

// ---- tests ----

TEST(RelevanceRules, EveryRuleHasALoopThatSaysTheSame) {
  for (const auto& [name, rule] : RuleRegistry::instance().entries()) {
    EXPECT_EQ(kSlowRules.count(name), 1U) << name;
  }
}

// Double; some ten additions of numbers of size 1, and denominators that are not tiny.
constexpr double kTolerance = 1e-10;

TEST(RelevanceRules, EveryRuleEqualsItsLoopOnDenseLayers) {
  for (const char* activation : {"relu", "tanh"}) {
    const Twice net = mlp(activation);
    for (const auto& [name, both] : kSlowRules) {
      SCOPED_TRACE(fmt::format("{} {}", activation, name));
      const Tensor x = random_tensor({1, 5}, 3);
      const SlowRule slow = both.second;
      const Vector expected = slow_relevance(net.slow, values_of(x), 1, [&](size_t) { return slow; });
      expect_close(elements(net.graph, "lrp_epsilon", x, 1, {{"rules", "any:" + both.first}}), expected, kTolerance);
    }
  }
}

TEST(RelevanceRules, EveryRuleEqualsItsLoopOnAConvolution) {
  const Twice net = convolution();
  for (const auto& [name, both] : kSlowRules) {
    SCOPED_TRACE(name);
    const Tensor x = random_tensor({1, 2, 4, 3}, 4);
    const SlowRule slow = both.second, plus = slow_alpha_beta(1, 0);
    const Vector expected =
        slow_relevance(net.slow, values_of(x), 2, [&](size_t layer) { return layer == 0 ? slow : plus; });
    expect_close(elements(net.graph, "deep_taylor", x, 2, {{"rules", "conv:" + both.first}}), expected, kTolerance);
  }
}

// Without biases nothing is absorbed, and among many contributions both signs occur.
TEST(RelevanceRules, EveryRuleConservesWhatItSays) {
  for (const auto& [name, rule] : RuleRegistry::instance().entries()) {
    SCOPED_TRACE(name);
    const bool biased = rule.conserves == Rule::Conserves::always;
    Twice net = mlp("tanh", biased);
    const auto text = name == "epsilon" ? "epsilon(epsilon=1e-14)" : name;
    const auto a = explain(net.graph, "lrp_epsilon", random_tensor({1, 5}, 9), 0, {{"rules", "any:" + text}})[0];
    ASSERT_GT(std::fabs(a.output), 0.1);
    EXPECT_NEAR(a.sum(), a.output, 1e-9);
    EXPECT_NEAR(a.residual, 0, 1e-9);
  }
}

TEST(RelevanceRules, ASingleNeuronByHand) {
  // z = 2 * 1 + (-1) * 3 + 4 = 3: epsilon absorbs, alpha-beta counts without the bias.
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 2}));
  b.output("y", b.add(b.matmul(x, b.constant(Tensor::of<double>({2, 1}, {2, -1}))),
                      b.constant(Tensor::of<double>({1}, {4}))));
  const Tensor point = Tensor::of<double>({1, 2}, {1, 3});
  expect_close(elements(graph, "lrp_epsilon", point, 0, {{"epsilon", "1"}}), {2.0 / 4 * 3, -3.0 / 4 * 3}, 1e-14);
  expect_close(elements(graph, "lrp_alpha_beta", point, 0), {6, -3}, 1e-14);
  expect_close(elements(graph, "deep_taylor", point, 0), {3, 0}, 1e-14);
}

TEST(RelevanceRules, AnEmptyGroupLosesItsShare) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.matmul(b.input("x", real({kBatch, 2})), b.constant(Tensor::of<double>({2, 1}, {1, 2}))));
  const auto a = explain(graph, "lrp_alpha_beta", Tensor::of<double>({1, 2}, {1, 1}), 0)[0];
  expect_close(a.values, {2, 4}, 1e-14);
  EXPECT_NEAR(a.residual, -3, 1e-14);
}

TEST(Relevance, EpsilonIsGradientTimesInputOnReluNetworks) {
  for (const Graph& graph : {small_mlp(), small_cnn(), small_resnet()}) {
    const Tensor x = random_tensor({1, 1, 4, 4}, 12);
    expect_close(elements(graph, "lrp_epsilon", x, 1, {{"epsilon", "1e-13"}}),
                 elements(graph, "gradient_x_input", x, 1), 1e-9);
  }
}

TEST(Relevance, DeepTaylorIsAlphaOneBetaZero) {
  for (const Graph& graph : {small_mlp("sigmoid"), small_cnn(), small_resnet(), small_vit()}) {
    const Tensor x = random_tensor({1, 1, 4, 4}, 13);
    expect_close(elements(graph, "deep_taylor", x, 0),
                 elements(graph, "lrp_alpha_beta", x, 0, {{"alpha", "1"}, {"beta", "0"}}), 0);
  }
}

// zennit#236: a value that is read twice must not count twice.
TEST(Relevance, AResidualConnectionDoesNotDoubleRelevance) {
  Graph graph;
  Builder b(graph);
  const Value x = b.op("relu", {b.input("x", real({kBatch, 3}))});
  const Value twice = b.add(x, b.add(x, x));
  b.output("y", b.reduce("reduce_sum", twice, {1}, true));
  for (const char* method : {"lrp_epsilon", "lrp_alpha_beta", "deep_taylor"}) {
    expect_close(elements(graph, method, Tensor::of<double>({1, 3}, {1, 2, 3}), 0, {}), {3, 6, 9}, 1e-5);
  }
}

TEST(Relevance, AGateTakesNothing) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 4}));
  const Value signal = b.slice(x, 1, 0, 2), gate = b.op("sigmoid", {b.slice(x, 1, 2, 2)});
  b.output("y", b.reduce("reduce_sum", b.mul(b.reshape(gate, {kBatch, 2}), signal), {1}, true));
  const Vector a = elements(graph, "deep_taylor", Tensor::of<double>({1, 4}, {1, -2, 0, 0}), 0);
  expect_close(a, {0.5, -1, 0, 0}, 1e-14);
}

TEST(Relevance, WhatIsBoundedAndRisesIsAGateOnceShifted) {
  for (const char* function : {"tanh", "erf", "atan"}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", real({kBatch, 4}));
    const Value gate = b.add(b.op(function, {b.slice(x, 1, 2, 2)}), 1);
    b.output("y", b.reduce("reduce_sum", b.mul(gate, b.slice(x, 1, 0, 2)), {1}, true));
    SCOPED_TRACE(function);
    expect_close(elements(graph, "deep_taylor", Tensor::of<double>({1, 4}, {1, -2, 0, 0}), 0), {1, -2, 0, 0}, 1e-14);
  }
}

// Clipped at one end only, a line is no gate: max(x, 0) is the same signal as relu and as clip.
TEST(Relevance, AnOpenClipIsASignalLikeRelu) {
  const auto product_with = [](const std::string& op, const Attributes& attributes) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", real({kBatch, 4}));
    const Value factor = b.op(op, {b.slice(x, 1, 2, 2)}, attributes);
    b.output("y", b.reduce("reduce_sum", b.mul(factor, b.slice(x, 1, 0, 2)), {1}, true));
    return elements(graph, "deep_taylor", Tensor::of<double>({1, 4}, {1, 2, 3, 4}), 0);
  };
  const auto clip = [&](double high) { return product_with("clip", {{"min", reals({0})}, {"max", reals({high})}}); };
  expect_close(product_with("relu", {}), {1.5, 4, 1.5, 4}, 1e-14);
  expect_close(clip(INFINITY), {1.5, 4, 1.5, 4}, 1e-14);
  expect_close(clip(6), {3, 8, 0, 0}, 1e-14);
}

// Scattered updates that are added share with what they land on; those that replace it take all.
TEST(Relevance, AnAddedUpdateDoesNotDoubleRelevance) {
  const Tensor x = Tensor::of<double>({1, 5}, {1, 2, 3, 10, 20});
  for (const std::string reduction : {"add", "none"}) {
    Graph graph;
    Builder b(graph);
    const Value in = b.input("x", real({kBatch, 5}));
    const Value places = b.expand(b.constant(Tensor::of<int64_t>({1, 2}, {2, 0})), {kBatch, 2});
    const Value joined = b.op("scatter_elements", {b.slice(in, 1, 0, 3), places, b.slice(in, 1, 3, 2)},
                              {{"axis", ints({1})}, {"reduction", reduction}});
    b.output("y", b.reduce("reduce_sum", b.op("relu", {joined}), {1}, true));
    const Vector expected = reduction == "add" ? Vector{1, 2, 3, 10, 20} : Vector{0, 2, 0, 10, 20};
    SCOPED_TRACE(reduction);
    for (const char* method : {"lrp_epsilon", "deep_taylor"}) {
      expect_close(elements(graph, method, x, 0), expected, 1e-4);
    }
  }
}

TEST(Relevance, TwoSignalsTakeHalfEach) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 4}));
  b.output("y", b.reduce("reduce_sum", b.mul(b.slice(x, 1, 0, 2), b.slice(x, 1, 2, 2)), {1}, true));
  expect_close(elements(graph, "lrp_alpha_beta", Tensor::of<double>({1, 4}, {1, 2, 3, -4}), 0), {1.5, -4, 1.5, -4},
               1e-14);
}

TEST(Relevance, NoEpsilonAndNoPreActivationIsANumericError) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.matmul(b.input("x", real({kBatch, 2})), b.constant(Tensor::of<double>({2, 1}, {1, -1}))));
  expect_error(ErrorKind::numeric, "epsilon is 0: a neuron whose z is 0", [&] {
    explain(graph, "lrp_epsilon", Tensor::of<double>({1, 2}, {1, 1}), 0, {{"epsilon", "0"}});
  });
}

TEST(RuleSets, TheMostParticularSelectorCounts) {
  const Twice net = mlp("relu");
  const Tensor x = random_tensor({1, 5}, 3);
  const std::vector<SlowRule> rules = {slow_flat(), slow_epsilon(0.25), slow_gamma(0.5)};
  const Vector expected = slow_relevance(net.slow, values_of(x), 1, [&](size_t layer) { return rules[layer]; });
  for (const char* text : {"first:flat;1:epsilon(epsilon=0.25);dense:gamma(gamma=0.5)",
                           "dense2:gamma(gamma=0.5);2:flat;any:z_plus;dense:epsilon(epsilon=0.25);dense0:flat",
                           "epsilon_plus_flat;1:epsilon(epsilon=0.25);last:gamma(gamma=0.5)"}) {
    SCOPED_TRACE(text);
    expect_close(elements(net.graph, "lrp_alpha_beta", x, 1, {{"rules", text}}), expected, kTolerance);
  }
}

// Windows of four, at the border of three numbers and one of padding: contributions are shares of the values, flat is
// equal shares.
TEST(RuleSets, PoolsMaySplitEqually) {
  for (const int64_t counts_padding : {0, 1}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", real({kBatch, 1, 1, 7}));
    const Value y = b.op("average_pool", {x},
                         {{"kernel", ints({1, 4})},
                          {"strides", ints({1, 4})},
                          {"pads", ints({0, 0, 0, 1})},
                          {"dilations", ints({1, 1})},
                          {"ceil_mode", ints({0})},
                          {"count_include_pad", ints({counts_padding})}});
    b.output("y", b.reshape(b.reduce("reduce_sum", y, {3}, false), {kBatch, 1}));
    const Tensor in = Tensor::of<double>({1, 1, 1, 7}, {1, 2, 3, 10, -1, 0, 7});
    const double border = counts_padding == 1 ? 1.5 : 2;
    for (const char* method : {"deep_taylor", "lrp_alpha_beta", "lrp_epsilon"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, counts_padding));
      // The sum over both windows is a pool too: f(x) = 4 + border, which flat halves.
      const double half = (4 + border) / 2;
      expect_close(elements(graph, method, in, 0, {{"rules", "pool:flat"}}),
                   {half / 4, half / 4, half / 4, half / 4, half / 3, half / 3, half / 3}, 1e-14);
      // The last entry counts.
      const double share = border / 6;
      expect_close(elements(graph, method, in, 0, {{"rules", "pool:flat;pool:epsilon(epsilon=0)"}}),
                   {0.25, 0.5, 0.75, 2.5, -share, 0, 7 * share}, 1e-14);
    }
  }
}

// A mean over axes, as exporters write global pooling; relevance that comes from layers stays conserved.
TEST(RuleSets, FlatPoolsConserveRelevance) {
  const Graph graph = small_cnn();
  const Tensor x = random_tensor({1, 1, 4, 4}, 12);
  const auto flat = explain(graph, "deep_taylor", x, 1, {{"rules", "pool:flat;any:flat"}})[0];
  EXPECT_NEAR(flat.residual, 0, 1e-12);
  EXPECT_NE(flat.values, explain(graph, "deep_taylor", x, 1, {{"rules", "any:flat"}})[0].values);
}

TEST(RuleSets, SayWhatIsWrongInOneLine) {
  const Graph graph = small_cnn();
  const Tensor x = random_tensor({1, 1, 4, 4}, 1);
  const auto with = [&](const std::string& rules) {
    return [&, rules] { explain(graph, "lrp_epsilon", x, 0, {{"rules", rules}}); };
  };
  expect_error(ErrorKind::argument,
               "there is no rule 'zplus'; did you mean 'z_plus'? Expected one of alpha_beta, epsilon",
               with("any:zplus"));
  expect_error(ErrorKind::argument, "or one of conv1, conv2", with("conv3:flat"));
  expect_error(ErrorKind::argument, "there is no layer 7; expected 0 to 2", with("7:flat"));
  expect_error(ErrorKind::argument, "has no parameter 'gama=1'", with("conv:gamma(gama=1)"));
  expect_error(ErrorKind::argument, "expected a number from 0", with("conv:gamma(gamma=-1)"));
  expect_error(ErrorKind::argument, "epsilon or flat only", with("pool:z_plus"));
  expect_error(ErrorKind::argument, "takes the rule epsilon only", with("add:flat"));
  expect_error(ErrorKind::argument, "one of epsilon_plus", with("epsilon_minus"));
  expect_error(ErrorKind::argument, "alpha + beta must be 1", with("conv:alpha_beta(alpha=2,beta=1)"));
  expect_error(ErrorKind::argument, "alpha + beta must be 1", [&] {
    explain(graph, "lrp_alpha_beta", x, 0, {{"beta", "1"}});
  });
}

}  // namespace
}  // namespace ascribe::core
