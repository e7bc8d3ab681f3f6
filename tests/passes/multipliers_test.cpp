// DeepLIFT and Deep SHAP: against loops over dz_ij; every operation between layers conserves the change.
#include "passes/multipliers.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/errors.h"
#include "support/slow_relevance.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

std::vector<Attribution> explain(const Graph& graph, const std::string& name, const Tensor& x, const Tensor& baselines,
                                 int64_t target, const std::map<std::string, std::string>& given = {},
                                 uint64_t seed = 0) {
  ExplainOptions options;
  options.real = DType::f64;
  ExplainedModel model(graph, options);
  Question question{{x}, target, baselines, {}};
  for (int32_t i = 0; i < static_cast<int32_t>(x.size()); ++i) {
    question.players.owner.push_back(i);
    question.players.names.push_back(fmt::format("{}", i));
  }
  const Method& method = method_named(name);
  return attribute(method, model, std::span(&question, 1), Parameters(method.name, method.parameters, given), seed);
}

void expect_close(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

// ---- modules as loops: the multiplier of each dz_i ----

Vector slow_rescale(const Vector& dz, double z_b, const SlowLayer& layer) {
  const double change = std::accumulate(dz.begin(), dz.end(), 0.0);
  const double dy = layer.activation(z_b + change) - layer.activation(z_b);
  return Vector(dz.size(), slow_slope(layer, dy, change, z_b));
}

Vector slow_reveal_cancel(const Vector& dz, double z_b, const SlowLayer& layer) {
  double up = 0, down = 0;
  for (const double part : dz) (part > 0 ? up : down) += part;
  const auto s = [&](double z) { return layer.activation(z_b + z); };
  const double y_up = (s(up) - s(0) + s(up + down) - s(down)) / 2;
  const double y_down = (s(down) - s(0) + s(up + down) - s(up)) / 2;
  Vector slopes;
  for (const double part : dz) {
    if (part == 0) slopes.push_back(slow_slope(layer, 0, 0, z_b + up + down));
    else slopes.push_back(part > 0 ? y_up / up : y_down / down);
  }
  return slopes;
}

// Over all orders.
Vector slow_shapley(const Vector& dz, double z_b, const SlowLayer& layer) {
  std::vector<size_t> order(dz.size());
  std::iota(order.begin(), order.end(), 0);
  Vector values(dz.size(), 0);
  double orders = 0;
  do {
    double z = z_b;
    for (const size_t i : order) {
      values[i] += layer.activation(z + dz[i]) - layer.activation(z);
      z += dz[i];
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  const double z = z_b + std::accumulate(dz.begin(), dz.end(), 0.0);
  for (size_t i = 0; i < dz.size(); ++i) values[i] = slow_slope(layer, values[i] / orders, dz[i], z);
  return values;
}

// A contribution that is 0 as the mean of what it gets when it is slightly more and slightly less. Off by
// the step, and by roundings of 1e-16 over the step.
SlowModule at_the_limit(const SlowModule& rule) {
  return [=](const Vector& dz, double z_b, const SlowLayer& layer) {
    constexpr double kStep = 1e-8;
    Vector slopes = rule(dz, z_b, layer);
    for (size_t i = 0; i < dz.size(); ++i) {
      if (dz[i] != 0) continue;
      Vector more = dz, less = dz;
      more[i] = kStep;
      less[i] = -kStep;
      slopes[i] = (rule(more, z_b, layer)[i] + rule(less, z_b, layer)[i]) / 2;
    }
    return slopes;
  };
}

struct Twice {
  Graph graph;
  std::vector<SlowLayer> slow;
};

Twice mlp(const std::string& activation) {
  Twice net;
  Builder b(net.graph);
  Value x = b.input("x", real({kBatch, 4}));
  const std::vector<std::pair<int64_t, int64_t>> sizes = {{4, 5}, {5, 3}, {3, 2}};
  for (size_t l = 0; l < sizes.size(); ++l) {
    const auto [inputs, outputs] = sizes[l];
    const Tensor w = random_tensor({outputs, inputs}, 21 + l), bias = random_tensor({outputs}, 31 + l, 0.5);
    SlowLayer layer;
    const Vector flat = values_of(w);
    for (int64_t j = 0; j < outputs; ++j)
      layer.w.emplace_back(flat.begin() + j * inputs, flat.begin() + (j + 1) * inputs);
    layer.bias = values_of(bias);
    layer.activation = [](double z) { return z; };
    x = b.add(b.matmul(x, b.constant(w), false, true), b.constant(bias));
    if (l + 1 < sizes.size()) {
      x = b.op(activation, {x});
      if (activation == "relu") layer.activation = [](double z) { return z > 0 ? z : 0; };
      else layer.activation = [](double z) { return 1 / (1 + std::exp(-z)); };
    }
    net.slow.push_back(layer);
  }
  b.output("y", x);
  return net;
}

const Tensor kX = random_tensor({1, 4}, 41), kB = random_tensor({1, 4}, 42);

// Double; sums of at most five terms, slopes of changes that are not tiny.
constexpr double kTolerance = 1e-11;

TEST(Multipliers, EveryModuleRuleEqualsItsLoop) {
  const std::vector<std::pair<std::string, SlowModule>> rules = {
      {"deeplift_rescale", slow_rescale}, {"deeplift_reveal_cancel", slow_reveal_cancel}, {"deep_shap", slow_shapley}};
  for (const char* activation : {"relu", "sigmoid"}) {
    const Twice net = mlp(activation);
    for (const auto& [method, slow] : rules) {
      SCOPED_TRACE(fmt::format("{} {}", activation, method));
      const Vector x = values_of(kX), base = values_of(kB);
      const Vector expected = slow_contributions(net.slow, x, base, 1, at_the_limit(slow));
      const bool still = std::string(activation) == "relu" && method != "deeplift_rescale";
      expect_close(explain(net.graph, method, kX, kB, 1)[0].values, expected, still ? 1e-7 : kTolerance);
      if (method == "deeplift_rescale") continue;
      const Vector derivative = slow_contributions(net.slow, x, base, 1, slow);
      expect_close(explain(net.graph, method, kX, kB, 1, {{"at_zero", "derivative"}})[0].values, derivative, 1e-9);
      // Two hidden values of the relu network do not change; their inputs do.
      if (still) {
        EXPECT_GT(std::abs(expected[0] - derivative[0]), 0.01);
      }
    }
  }
}

// sigma = relu, z at the reference 1/2, changes +1 and -1: dy = 0, and still both count.
TEST(RevealCancel, ContributionsThatCancelAreRevealed) {
  Graph graph;
  Builder b(graph);
  const Value z = b.matmul(b.input("x", real({kBatch, 2})), b.constant(Tensor::of<double>({2, 1}, {1, -1})));
  b.output("y", b.op("relu", {b.add(z, b.constant(Tensor::of<double>({1}, {0.5})))}));
  const Tensor x = Tensor::of<double>({1, 2}, {1, 1}), zero(DType::f64, {1, 2});
  expect_close(explain(graph, "deeplift_reveal_cancel", x, zero, 0)[0].values, {0.75, -0.75}, 1e-15);
  expect_close(explain(graph, "deep_shap", x, zero, 0)[0].values, {0.75, -0.75}, 1e-15);
  expect_close(explain(graph, "deeplift_rescale", x, zero, 0)[0].values, {1, -1}, 1e-15);  // the derivative's
}

TEST(Rescale, WhereNothingChangesTheMultiplierIsTheDerivative) {
  // y = sigmoid(x0 - x1) with equal changes: dz = 0, slope sigmoid'(0) = 1/4.
  Graph graph;
  Builder b(graph);
  const Value z = b.matmul(b.input("x", real({kBatch, 2})), b.constant(Tensor::of<double>({2, 1}, {1, -1})));
  b.output("y", b.op("sigmoid", {z}));
  const Tensor x = Tensor::of<double>({1, 2}, {3, 3}), zero(DType::f64, {1, 2});
  for (const char* method : {"deeplift_rescale"}) {
    expect_close(explain(graph, method, x, zero, 0)[0].values, {0.75, -0.75}, 1e-14);
  }
}

TEST(DeepShap, ComponentIsRescale) {
  for (const Graph& graph : {small_mlp(), small_cnn(true), small_resnet(), small_vit()}) {
    const Tensor x = random_tensor({1, 1, 4, 4}, 5), b = random_tensor({1, 1, 4, 4}, 6);
    expect_close(explain(graph, "deep_shap", x, b, 2, {{"granularity", "component"}})[0].values,
                 explain(graph, "deeplift_rescale", x, b, 2)[0].values, 0);
  }
}

TEST(DeepShap, SeveralBaselinesAverage) {
  const Twice net = mlp("sigmoid");
  const Tensor baselines = random_tensor({3, 4}, 8);
  Vector mean(4, 0);
  for (int64_t r = 0; r < 3; ++r) {
    const Vector all = values_of(baselines);
    const Tensor one = Tensor::of<double>({1, 4}, Vector(all.begin() + r * 4, all.begin() + (r + 1) * 4));
    const Vector part = explain(net.graph, "deep_shap", kX, one, 0)[0].values;
    for (size_t i = 0; i < 4; ++i) mean[i] += part[i] / 3;
  }
  expect_close(explain(net.graph, "deep_shap", kX, baselines, 0)[0].values, mean, 1e-14);
}

// 4000 pairs of marginals that differ by about 0.3: a standard error of 5e-3; four of them are allowed.
TEST(DeepShap, SamplesApproachTheExactValues) {
  for (const Graph& graph : {mlp("sigmoid").graph, mlp("relu").graph}) {
    const Vector exact = explain(graph, "deep_shap", kX, kB, 1)[0].values;
    const auto sampled = explain(graph, "deep_shap", kX, kB, 1, {{"exact", "1"}, {"samples", "4000"}}, 3)[0];
    expect_close(sampled.values, exact, 2e-2);
    EXPECT_NEAR(sampled.residual, 0, 1e-12);
    ASSERT_EQ(sampled.notes.size(), 1U);
    EXPECT_NE(sampled.values, explain(graph, "deep_shap", kX, kB, 1, {{"exact", "1"}, {"samples", "2"}}, 4)[0].values);
  }
}

TEST(DeepShap, AConvolutionIsTheSameAsItsMatrix) {
  Graph conv, matrix;
  const Attributes attributes = {
      {"strides", ints({1, 2})}, {"pads", ints({1, 0, 0, 1})}, {"dilations", ints({1, 1})}, {"group", ints({2})}};
  const Tensor weight = random_tensor({4, 1, 2, 2}, 15);
  {
    Builder b(conv);
    const Value z = b.op("conv", {b.input("x", real({kBatch, 2, 3, 3})), b.constant(weight)}, attributes);
    b.output("y", z);
  }
  const auto rows = matrix_of(conv, "x", {1, 2, 3, 3});
  const int64_t size = std::ssize(rows);
  Vector flat;
  for (const Vector& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  const Value z = conv.outputs[0].value;
  conv.outputs.clear();
  Builder b(conv), m(matrix);
  const Tensor head = random_tensor({size, 2}, 16);
  b.output("y", b.matmul(b.reshape(b.op("tanh", {z}), {kBatch, size}), b.constant(head)));
  const Value x = m.reshape(m.input("x", real({kBatch, 2, 3, 3})), {kBatch, 18});
  const Value y = m.op("tanh", {m.matmul(x, m.constant(Tensor::of<double>({size, 18}, flat)), false, true)});
  m.output("y", m.matmul(y, m.constant(head)));
  const Tensor point = random_tensor({1, 2, 3, 3}, 17), base = random_tensor({1, 2, 3, 3}, 18);
  // The matrix has 18 inputs, of which four are not 0: dummies do not change Shapley values.
  const Vector exact = explain(conv, "deep_shap", point, base, 1)[0].values;
  expect_close(explain(matrix, "deep_shap", point, base, 1, {{"samples", "3000"}})[0].values, exact, 2e-2);
  const Vector revealed = explain(conv, "deeplift_reveal_cancel", point, base, 1)[0].values;
  expect_close(explain(matrix, "deeplift_reveal_cancel", point, base, 1)[0].values, revealed, 1e-12);
}

TEST(DeepShap, OverBudgetItIsRefusedWithItsCost) {
  const Graph graph = small_mlp();
  const Tensor x = random_tensor({1, 1, 4, 4}, 1), b(DType::f64, {1, 1, 4, 4});
  // 8 neurons of 16 inputs, 16 permutations both ways with two evaluations each.
  expect_error(ErrorKind::argument, "8192 times for each row; the budget is most=8000", [&] {
    explain(graph, "deep_shap", x, b, 0, {{"most", "8000"}});
  });
  expect_error(ErrorKind::argument, "granularity=component", [&] {
    explain(graph, "deep_shap", x, b, 0, {{"most", "8000"}});
  });
}

// ---- everything between layers ----

using Piece = Value (*)(Builder&, Value);

Value first(Builder& b, Value x) { return b.slice(x, 1, 0, 3); }
Value second(Builder& b, Value x) { return b.slice(x, 1, 3, 3); }

const std::vector<std::pair<std::string, Piece>> kPieces = {
    {"maximum",
     [](Builder& b, Value x) {
       return b.op("maximum", {first(b, x), second(b, x)});
     }},
    {"minimum",
     [](Builder& b, Value x) {
       return b.op("minimum", {first(b, x), second(b, x)});
     }},
    {"where",
     [](Builder& b, Value x) {
       return b.op("where", {b.op("less", {first(b, x), b.scalar(0)}), b.mul(first(b, x), 0.1), second(b, x)});
     }},
    {"reduce_max",
     [](Builder& b, Value x) {
       return b.reduce("reduce_max", b.reshape(x, {kBatch, 2, 3}), {2}, false);
     }},
    {"reduce_min over two axes",
     [](Builder& b, Value x) {
       return b.reduce("reduce_min", b.reshape(x, {kBatch, 2, 3}), {2, 1}, true);
     }},
    {"mul", [](Builder& b, Value x) { return b.mul(first(b, x), second(b, x)); }},
    {"square", [](Builder& b, Value x) { return b.mul(x, x); }},
    {"div", [](Builder& b, Value x) { return b.div(first(b, x), b.op("exp", {second(b, x)})); }},
    {"matmul",
     [](Builder& b, Value x) {
       return b.matmul(b.reshape(first(b, x), {kBatch, 3, 1}), b.reshape(second(b, x), {kBatch, 1, 3}));
     }},
    {"softmax",
     [](Builder& b, Value x) {
       return b.op("softmax", {x}, {{"axis", ints({1})}});
     }},
    {"softmax of large numbers",
     [](Builder& b, Value x) {
       return b.op("softmax", {b.mul(x, 500)}, {{"axis", ints({1})}});
     }},
    {"log_softmax",
     [](Builder& b, Value x) {
       return b.op("log_softmax", {x}, {{"axis", ints({1})}});
     }},
    {"reduce_log_sum_exp", [](Builder& b, Value x) { return b.reduce("reduce_log_sum_exp", x, {1}, false); }},
    {"normalize",
     [](Builder& b, Value x) {
       return b.op("normalize", {x}, {{"axes", ints({1})}, {"epsilon", reals({1e-5})}});
     }},
    {"gelu",
     [](Builder& b, Value x) {
       return b.op("gelu", {x}, {{"approximate", std::string("none")}});
     }},
    {"elu",
     [](Builder& b, Value x) {
       return b.op("elu", {x}, {{"alpha", reals({1})}});
     }},
    {"clip",
     [](Builder& b, Value x) {
       return b.op("clip", {x}, {{"min", reals({-0.5})}, {"max", reals({0.4})}});
     }},
    {"leaky_relu",
     [](Builder& b, Value x) {
       return b.op("leaky_relu", {x}, {{"alpha", reals({0.1})}});
     }},
    {"abs", [](Builder& b, Value x) { return b.op("abs", {x}); }},
    {"pow",
     [](Builder& b, Value x) {
       return b.op("pow", {x, b.scalar(3)});
     }},
    {"hard_swish", [](Builder& b, Value x) { return b.op("hard_swish", {b.mul(x, 3)}); }},
    {"mish", [](Builder& b, Value x) { return b.op("mish", {x}); }},
    {"cumsum",
     [](Builder& b, Value x) {
       return b.op("cumsum", {x}, {{"axis", ints({1})}, {"exclusive", ints({0})}, {"reverse", ints({0})}});
     }},
    {"reduce_prod", [](Builder& b, Value x) { return b.reduce("reduce_prod", x, {1}, true); }},
};

// f is a product of the piece's numbers with fixed weights, so that no symmetry hides a mistake.
Graph around(Piece piece) {
  Graph graph;
  Builder b(graph);
  const Value y = piece(b, b.input("x", real({kBatch, 6})));
  Dim size = product(b.shape(y));
  const int64_t count = size.per_row;
  const Value weights = b.constant(random_tensor({count, 1}, 77));
  b.output("y", b.matmul(b.reshape(y, {kBatch, count}), weights));
  return graph;
}

// Close to each other, far apart, and equal in some elements.
TEST(Multipliers, EveryOperationConservesTheChange) {
  const Tensor x = random_tensor({1, 6}, 61);
  std::vector<Tensor> baselines = {random_tensor({1, 6}, 62), Tensor(DType::f64, {1, 6})};
  for (const double distance : {1e-3, 3e-5, 1e-7}) {
    Vector near = values_of(x);
    for (size_t i = 0; i < 5; ++i) near[i] -= distance * (1 + static_cast<double>(i)) * (i % 2 == 0 ? 1 : -1);
    baselines.push_back(Tensor::of<double>({1, 6}, near));
  }
  for (const auto& [name, piece] : kPieces) {
    for (size_t k = 0; k < baselines.size(); ++k) {
      SCOPED_TRACE(fmt::format("{}, baseline {}", name, k));
      const auto a = explain(around(piece), "deeplift_rescale", x, baselines[k], 0)[0];
      EXPECT_NEAR(a.residual, 0, 1e-10 * std::max(1.0, std::fabs(a.output)));
    }
  }
}

TEST(Multipliers, AnIndexThatDependsOnTheInputIsRefused) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 6}));
  const Value index = b.op("arg_max", {x}, {{"axis", ints({1})}, {"keepdims", ints({1})}, {"select_last", ints({0})}});
  b.set_name("pick");
  b.output("y", b.op("gather_elements", {x, index}, {{"axis", ints({1})}}));
  expect_error(ErrorKind::unsupported, "'pick' (gather_elements)", [&] {
    explain(graph, "deeplift_rescale", random_tensor({1, 6}, 1), Tensor(DType::f64, {1, 6}), 0);
  });
}

}  // namespace
}  // namespace ascribe::core
