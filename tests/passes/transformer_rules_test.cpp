// AttnLRP and CP-LRP: closed forms of each rule, a transformer as loops, and what the sets conserve.
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "methods/trace.h"
#include "passes/relevance.h"
#include "support/ask.h"
#include "support/errors.h"
#include "support/slow_transformer.h"

namespace ascribe::core {
namespace {

using Vector = std::vector<double>;

// Small enough to be nothing beside sums of size 1, in double.
const Settings kAttn = {{"rules", "attn"}, {"epsilon", "1e-13"}};
const Settings kHeld = {{"rules", "cp"}, {"epsilon", "1e-13"}};
constexpr double kTolerance = 1e-10;

Vector relevance(const Graph& graph, const Tensor& x, const Settings& settings, int64_t target = 0) {
  return values_of(ask("lrp_epsilon", graph, ask_about(x, {}, target), settings).elements);
}

Value in(Builder& b, int64_t size) { return b.input("x", {Kind::real, {kBatch, size}}); }

Vector softmax_of(const Vector& x) {
  double total = 0;
  Vector s;
  for (const double entry : x) total += std::exp(entry);
  for (const double entry : x) s.push_back(std::exp(entry) / total);
  return s;
}

double sum_of(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// ---- softmax ----

TEST(AttnLrp, SoftmaxPassesOnItsLinearPart) {
  const Vector w = {2, -1, 0.5}, x = {0.3, -0.7, 1.1};
  Graph graph;
  Builder b(graph);
  const Value s = b.op("softmax", {in(b, 3)}, {{"axis", ints({1})}});
  b.output("y", b.matmul(s, b.constant(Tensor::of<double>({3, 1}, w))));
  const Vector p = softmax_of(x);
  double f = 0;
  for (size_t i = 0; i < 3; ++i) f += p[i] * w[i];
  Vector expected;  // R_i = s_i w_i arrives at the softmax
  for (size_t i = 0; i < 3; ++i) expected.push_back(x[i] * (p[i] * w[i] - p[i] * f));
  expect_values(relevance(graph, Tensor::of<double>({1, 3}, x), kAttn), expected, kTolerance);
  // Outside of a product a softmax is no weight: CP-LRP leaves R as it is.
  expect_values(relevance(graph, Tensor::of<double>({1, 3}, x), kHeld), {p[0] * w[0], p[1] * w[1], p[2] * w[2]},
                kTolerance);
}

// Masks that are added, or that replace: whatever is shut out gets nothing, and nothing becomes infinite.
TEST(AttnLrp, WhatAMaskShutsOutGetsNothing) {
  const Vector w = {2, -1, 0.5}, x = {0.3, 5, 1.1};
  const Vector p = softmax_of({0.3, 1.1});
  const double f = p[0] * w[0] + p[1] * w[2];
  const Vector expected = {x[0] * p[0] * (w[0] - f), 0, x[2] * p[1] * (w[2] - f)};
  for (const double mask : {-std::numeric_limits<double>::infinity(), -3.4028234663852886e38}) {
    for (const bool added : {true, false}) {
      Graph graph;
      Builder b(graph);
      const Value scores = in(b, 3);
      const Value open = b.op("less", {b.constant(Tensor::of<double>({3}, {0, 1, 0})), b.scalar(0.5)});
      const Value shut = b.constant(Tensor::of<double>({3}, {0, mask, 0}));
      const Value masked = added ? b.add(scores, shut) : b.op("where", {open, scores, b.scalar(mask)});
      const Value s = b.op("softmax", {masked}, {{"axis", ints({1})}});
      b.output("y", b.matmul(s, b.constant(Tensor::of<double>({3, 1}, w))));
      SCOPED_TRACE(fmt::format("{} {}", mask, added));
      expect_values(relevance(graph, Tensor::of<double>({1, 3}, x), kAttn), expected, kTolerance);
    }
  }
}

// y = sum of softmax(q)_i v_i, q the first three numbers.
Graph attention(bool talking_heads = false) {
  Graph graph;
  Builder b(graph);
  const Value x = in(b, 6);
  Value s = b.op("softmax", {b.slice(x, 1, 0, 3)}, {{"axis", ints({1})}});
  if (talking_heads) s = b.matmul(s, b.constant(Tensor::of<double>({3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0})));
  const Value v = b.reshape(b.slice(x, 1, 3, 3), {kBatch, 3, 1});
  b.output("y", b.reshape(b.matmul(b.reshape(s, {kBatch, 1, 3}), v), {kBatch, 1}));
  return graph;
}

TEST(AttnLrp, AttentionWeightsAndValuesTakeHalfEach) {
  const Vector q = {0.4, -0.2, 0.9}, v = {1, -2, 3}, s = softmax_of(q);
  const double f = s[0] * v[0] + s[1] * v[1] + s[2] * v[2];
  Vector expected;
  for (size_t i = 0; i < 3; ++i) expected.push_back(q[i] * (s[i] * v[i] / 2 - s[i] * f / 2));
  for (size_t i = 0; i < 3; ++i) expected.push_back(s[i] * v[i] / 2);
  const Tensor x = Tensor::of<double>({1, 6}, {0.4, -0.2, 0.9, 1, -2, 3});
  expect_values(relevance(attention(), x, kAttn), expected, kTolerance);
}

TEST(CpLrp, TheValuesTakeAllAndTheWeightsNothing) {
  const Vector q = {0.4, -0.2, 0.9}, v = {1, -2, 3}, s = softmax_of(q);
  const Tensor x = Tensor::of<double>({1, 6}, {0.4, -0.2, 0.9, 1, -2, 3});
  expect_values(relevance(attention(), x, kHeld), {0, 0, 0, s[0] * v[0], s[1] * v[1], s[2] * v[2]}, kTolerance);
  // Also if a layer mixes the weights first.
  expect_values(relevance(attention(true), x, kHeld), {0, 0, 0, s[2] * v[0], s[0] * v[1], s[1] * v[2]}, kTolerance);
}

// ---- products and activations ----

TEST(AttnLrp, AGateTakesHalf) {
  Graph graph;
  Builder b(graph);
  const Value x = in(b, 4);
  const Value gate = b.op("sigmoid", {b.slice(x, 1, 2, 2)});
  b.output("y", b.reduce("reduce_sum", b.mul(gate, b.slice(x, 1, 0, 2)), {1}, true));
  const Tensor point = Tensor::of<double>({1, 4}, {1, -2, 3, 4});
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  const double first = sigmoid(3) / 2, second = -2 * sigmoid(4) / 2;
  for (const Settings& settings : {kAttn, kHeld}) {
    expect_values(relevance(graph, point, settings), {first, second, first, second}, kTolerance);
  }
  expect_values(relevance(graph, point, {}), {2 * first, 2 * second, 0, 0}, kTolerance);
}

using Spelling = std::function<Value(Builder&, Value)>;

const std::vector<std::pair<std::string, Spelling>> kSpellings = {
    {"silu", [](Builder& b, Value x) { return b.mul(x, b.op("sigmoid", {x})); }},
    {"quick gelu", [](Builder& b, Value x) { return b.mul(x, b.op("sigmoid", {b.mul(x, 1.702)})); }},
    {"gelu by erf",
     [](Builder& b, Value x) { return b.mul(b.mul(x, b.add(b.op("erf", {b.mul(x, 1 / std::sqrt(2.0))}), 1)), 0.5); }},
    {"gelu by erf, halved first",
     [](Builder& b, Value x) { return b.mul(b.mul(x, 0.5), b.add(b.op("erf", {b.mul(x, 1 / std::sqrt(2.0))}), 1)); }},
    {"gelu by tanh",
     [](Builder& b, Value x) {
       const Value cube = b.mul(b.op("pow", {x, b.scalar(3)}), 0.044715);
       return b.mul(b.mul(x, 0.5), b.add(b.op("tanh", {b.mul(b.add(x, cube), std::sqrt(2 / M_PI))}), 1));
     }},
    {"hard swish",
     [](Builder& b, Value x) {
       const Value gate = b.op("clip", {b.add(x, 3)}, {{"min", reals({0})}, {"max", reals({6})}});
       return b.mul(b.mul(x, gate), 1.0 / 6);
     }},
    {"mish", [](Builder& b, Value x) { return b.mul(x, b.op("tanh", {b.op("softplus", {x})})); }},
    {"square of a sine", [](Builder& b, Value x) { return b.mul(b.op("sin", {x}), b.op("sin", {x})); }},
    {"cube", [](Builder& b, Value x) { return b.mul(b.mul(x, x), x); }},
};

// R unchanged, at 0 too, however the file spells the activation. The numbers come from a sum, which hands them on by
// contribution: 0 = 2 - 2 has lost nothing if both sides get the limit of R / z.
TEST(AttnLrp, ActivationsThatAreSpelledOutPassRelevanceUnchanged) {
  const Vector x = {0.7, -1.3, 2.5};
  for (const auto& [name, spell] : kSpellings) {
    SCOPED_TRACE(name);
    Graph graph;
    Builder b(graph);
    const Value y = spell(b, in(b, 3));
    b.output("y", b.reduce("reduce_sum", y, {1}, true));
    Graph elements;
    Builder e(elements);
    e.output("y", spell(e, in(e, 3)));
    const Tensor point = Tensor::of<double>({1, 3}, x);
    const Vector values = values_of(interpret(elements, {{"x", point}}, 1)[0]);
    for (const Settings& settings : {kAttn, kHeld}) expect_values(relevance(graph, point, settings), values, 1e-12);
  }
}

// R_a = a s(a + c) / (a + c) has the limit a s'(0) as a + c goes to 0, for an operation and for its spelling.
TEST(Relevance, IsContinuousWhereAnActivationIsZero) {
  const Attributes none = {{"approximate", std::string("none")}};
  const std::vector<std::pair<double, Spelling>> activations = {
      {0.5, [&](Builder& b, Value x) { return b.op("gelu", {x}, none); }},
      {0.5, kSpellings[0].second},
      {0.5, kSpellings[2].second},
      {1, [](Builder& b, Value x) { return b.op("tanh", {x}); }},
      {-1, [](Builder& b, Value x) { return b.op("neg", {x}); }},
  };
  for (const auto& [slope, activation] : activations) {
    Graph graph;
    Builder b(graph);
    const Value x = in(b, 2);
    b.output("y", activation(b, b.add(b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1))));
    for (const double off : {0.0, 1e-14, 1e-7}) {
      const Tensor point = Tensor::of<double>({1, 2}, {2, -2 + off});
      expect_values(relevance(graph, point, {}), {2 * slope, -2 * slope}, 1e-6);
    }
  }
}

// ---- norms ----

// (x - mean) / deviation in the spellings of exporters, against the operation; the same with the mean of squares.
TEST(AttnLrp, NormsThatAreSpelledOutHoldTheDeviation) {
  const Tensor x = Tensor::of<double>({1, 4}, {1, -2, 0.5, 3});
  const Vector w = {0.3, -1, 2, 0.7};
  const auto with = [&](const Spelling& norm) {
    Graph graph;
    Builder b(graph);
    b.output("y", b.matmul(norm(b, in(b, 4)), b.constant(Tensor::of<double>({4, 1}, w))));
    return graph;
  };
  const auto centred = [](Builder& b, Value v) { return b.sub(v, b.reduce("reduce_mean", v, {1}, true)); };
  const auto power = [](Builder& b, Value v) {
    return b.add(b.reduce("reduce_mean", b.op("pow", {v, b.scalar(2)}), {1}, true), 1e-5);
  };
  const std::vector<Spelling> over = {
      [&](Builder& b, Value v) { return b.div(v, b.op("sqrt", {power(b, v)})); },
      [&](Builder& b, Value v) { return b.mul(v, b.op("reciprocal", {b.op("sqrt", {power(b, v)})})); },
      [&](Builder& b, Value v) { return b.mul(b.div(b.scalar(1), b.op("sqrt", {power(b, v)})), v); },
      [&](Builder& b, Value v) {
        return b.mul(v, b.op("pow", {power(b, v), b.scalar(-0.5)}));
      },
  };
  // By hand: sum over d of w_d / deviation (1[d = e] - 1 / 4) x_e, and w_e x_e / size.
  const Vector v = values_of(x);
  double mean = 0, variance = 0, squares = 0;
  for (const double entry : v) mean += entry / 4;
  for (const double entry : v) variance += (entry - mean) * (entry - mean) / 4, squares += entry * entry / 4;
  Vector layer, rms;
  for (size_t e = 0; e < 4; ++e) {
    layer.push_back((w[e] - sum_of(w) / 4) * v[e] / std::sqrt(variance + 1e-5));
    rms.push_back(w[e] * v[e] / std::sqrt(squares + 1e-5));
  }
  const Graph operation = with([](Builder& b, Value value) {
    return b.op("normalize", {value}, {{"axes", ints({1})}, {"epsilon", reals({1e-5})}});
  });
  for (const Settings& settings : {kAttn, kHeld}) {
    expect_values(relevance(operation, x, settings), layer, kTolerance);
    for (const Spelling& quotient : over) {
      const Graph spelled = with([&](Builder& b, Value value) { return quotient(b, centred(b, value)); });
      expect_values(relevance(spelled, x, settings), layer, kTolerance);
      expect_values(relevance(with(quotient), x, settings), rms, kTolerance);
    }
  }
}

// ---- a transformer ----

Vector flat(const Matrix& m) {
  Vector all;
  for (const auto& row : m) all.insert(all.end(), row.begin(), row.end());
  return all;
}

TEST(TransformerRules, EqualTheLoops) {
  for (const bool biased : {false, true}) {
    const SlowTransformer slow(biased);
    const Graph graph = slow.graph();
    for (const uint64_t seed : {1, 2, 3}) {
      const Tensor x = random_tensor({1, 4, 6}, seed);
      for (const bool held : {false, true}) {
        for (const double epsilon : {1e-13, 0.1}) {
          const auto expected = slow.explain(matrix_from(x, 4, 6), 1, epsilon, held);
          const Settings settings = {{"rules", held ? "cp" : "attn"}, {"epsilon", fmt::format("{}", epsilon)}};
          const Attribution a = ask("lrp_epsilon", graph, ask_about(x, {}, 1), settings);
          SCOPED_TRACE(fmt::format("{} {} {} {}", biased, seed, held, epsilon));
          EXPECT_NEAR(a.output, expected.output, kTolerance);
          // Relevance is divided by sums that may be small; the numbers are of size 1 to 100.
          expect_values(values_of(a.elements), flat(expected.relevance), 1e-8);
        }
      }
    }
  }
}

Trace trace_of(const Graph& graph, const std::string& name, const Question& question, const Settings& settings) {
  ExplainedModel model = double_model(graph);
  const Method& method = method_named(name);
  return trace(method, model, question, Parameters(name, method.parameters, settings));
}

// Without biases CP-LRP conserves f(x); AttnLRP loses, or gains, at the softmax only.
TEST(TransformerRules, ConserveWhatTheySay) {
  const Graph graph = SlowTransformer(false).graph();
  const Question question = ask_about(random_tensor({1, 4, 6}, 5), {}, 2);
  EXPECT_NEAR(ask("lrp_epsilon", graph, question, kHeld).residual, 0, 1e-9);
  const Trace path = trace_of(graph, "lrp_epsilon", question, kAttn);
  double lost = 0;
  for (const TraceStep& step : path.steps) {
    if (step.node.op == "softmax") lost += step.lost();
    else EXPECT_NEAR(step.lost(), 0, 1e-9) << step.node.op << " " << step.node.rule;
  }
  EXPECT_GT(std::abs(lost), 1e-3);
  EXPECT_NEAR(ask("lrp_epsilon", graph, question, kAttn).residual, lost, 1e-9);
}

TEST(TransformerRules, EverySetSaysWhatItConserves) {
  for (const NamedRuleSet& set : named_rule_sets()) EXPECT_NE(set.conserves, "") << set.name;
  const Method& method = method_named("lrp_epsilon");
  const auto& named = method.parameters[1].named;
  ASSERT_EQ(named.size(), named_rule_sets().size());
  EXPECT_NE(named.back().meaning.find("Conserves f(x), less what biases absorb"), std::string::npos);
}

TEST(TransformerRules, AreRefusedWithTheirNames) {
  const auto with = [](const std::string& rules) {
    return [rules] { relevance(attention(), Tensor(DType::f64, {1, 6}), {{"rules", rules}}); };
  };
  expect_error(ErrorKind::argument, "'softmax' takes the rule identity or taylor or constant; got flat",
               with("softmax:flat"));
  expect_error(ErrorKind::argument, "'product' takes the rule gate or uniform; got epsilon", with("product:epsilon"));
}

// What is lost at the nodes is all that is lost; every method that goes back has a trace.
TEST(Trace, AccountsForEverything) {
  const Graph graph = SlowTransformer(true).graph();
  std::set<std::string> traced;
  for (const std::string& name : method_names()) {
    const Method& method = method_named(name);
    if (!method.traces) continue;
    SCOPED_TRACE(name);
    traced.insert(name);
    Question question = ask_about(random_tensor({1, 4, 6}, 6), random_tensor({2, 4, 6}, 7), 0);
    const Trace path = trace_of(graph, name, question, {});
    const Attribution a = ask(name, graph, question);
    EXPECT_NEAR(path.start, method.total == Total::output ? a.output : a.output - a.baseline_output, 1e-10);
    EXPECT_NEAR(path.arrived, a.sum(), 1e-9 * (1 + std::abs(a.sum())));
    ASSERT_FALSE(path.steps.empty());
    EXPECT_NEAR(path.steps[0].received, path.start, 1e-9);
    double lost = 0, size = 1;
    for (const TraceStep& step : path.steps) lost += step.lost(), size += std::abs(step.received);
    EXPECT_NEAR(path.start - lost, path.arrived, 1e-11 * size);
  }
  EXPECT_EQ(traced, (std::set<std::string>{"deep_shap", "deep_taylor", "deeplift_rescale", "deeplift_reveal_cancel",
                                           "lrp_alpha_beta", "lrp_epsilon"}));
}

TEST(Trace, OfAMethodThatDoesNotGoBackIsRefused) {
  expect_error(ErrorKind::unsupported, "only lrp_epsilon, ", [] {
    trace_of(attention(), "occlusion", ask_about(Tensor(DType::f64, {1, 6})), {});
  });
}

}  // namespace
}  // namespace ascribe::core
