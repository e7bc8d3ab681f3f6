// Every differentiable operation of the registry, in double: its adjoint against its jet, both against finite
// differences, jets against the function itself as the step shrinks, and second derivatives two ways.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "passes/gradient.h"
#include "passes/jets.h"
#include "support/errors.h"
#include "support/interpret.h"
#include "support/op_samples.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

using Tensors = std::map<std::string, Tensor>;

bool is_differentiable(const Op& op) {
  return op.op_class != OpClass::source && op.op_class != OpClass::plumbing && op.op_class != OpClass::opaque;
}

// A sample as a graph at a point, with a direction v for the inputs that move and weights c for the output.
struct Case {
  OpSample sample;
  Graph graph;
  std::vector<std::string> moving;
  int64_t rows = 1;
  Tensors point, direction;
  Tensor weights;

  Tensor value(double t) const {
    Tensors moved = point;
    for (const std::string& name : moving) {
      const auto to = moved.at(name).mutable_data<double>();
      for (size_t i = 0; i < to.size(); ++i) to[i] += t * direction.at(name).at(static_cast<int64_t>(i));
    }
    return interpret(graph, moved, rows)[0];
  }
};

Tensor uniform_tensor(const Shape& shape, uint64_t seed) {  // in (-1, 1)
  Tensor tensor(DType::f64, shape);
  const auto values = tensor.mutable_data<double>();
  const Random random(seed);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 2 * random.uniform(i) - 1;
  return tensor;
}

double dot(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

double largest(const Tensor& a) {
  double result = 0;
  for (int64_t i = 0; i < a.size(); ++i) result = std::max(result, std::isnan(a.at(i)) ? INFINITY : std::abs(a.at(i)));
  return result;
}

double distance(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double result = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a.at(i) - b.at(i));
    result = std::max(result, std::isnan(difference) ? INFINITY : difference);
  }
  return result;
}

Case make_case(const OpSample& sample, const std::set<size_t>& constant) {
  Case c{sample, sample_graph(sample, constant), {}, grows(sample) ? 3 : 1, {}, {}, {}};
  const Tensors values = sample_inputs(sample, c.rows);
  for (const Port& port : c.graph.inputs) {
    c.point[port.name] = values.at(port.name);
    const bool chooses = port.name == fmt::format("x{}", op_named(sample.op).choice);
    if (chooses || c.graph[port.value].type.kind != Kind::real) continue;
    c.moving.push_back(port.name);
    c.direction[port.name] = uniform_tensor(values.at(port.name).shape(), 500 + c.moving.size());
  }
  c.weights = uniform_tensor(c.value(0).shape(), 900);
  return c;
}

// Each sample with all operands given at run time, and again with all but the first real one constant.
std::vector<Case> cases_of(const OpSample& sample) {
  std::set<size_t> rest;
  bool first = true, possible = false;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    if (sample.operands[i].kind == Kind::real && std::exchange(first, false)) continue;
    rest.insert(i);
    possible = true;
  }
  for (const size_t i : rest) possible = possible && all_fixed(sample.operands[i].shape);
  std::vector<Case> cases = {make_case(sample, sample.still)};
  if (possible && rest != sample.still) cases.push_back(make_case(sample, rest));
  return cases;
}

bool refuses(const OpSample& sample) {
  const Op& op = op_named(sample.op);
  return op.refusal != nullptr && !op.refusal(sample.attributes).empty();
}

// Calls f(case) for every sample of a differentiable operation on reals.
template <class F>
void for_each_case(F f) {
  for (const OpSample& sample : op_samples()) {
    if (!is_differentiable(op_named(sample.op)) || refuses(sample)) continue;
    if (infer_op(sample.op, sample.operands, sample.attributes).kind != Kind::real) continue;
    for (const Case& c : cases_of(sample)) {
      std::string description = sample.op;
      for (const Type& type : sample.operands) description += " " + to_string(type);
      SCOPED_TRACE(fmt::format("{}, {} of {} operands given", description, c.point.size(), sample.operands.size()));
      EXPECT_NO_THROW(f(c));
    }
  }
}

Tensors with_directions(const Case& c) {
  Tensors inputs = c.point;
  for (const std::string& name : c.moving) inputs["v." + name] = c.direction.at(name);
  return inputs;
}

std::vector<Tensor> coefficients(const Case& c, int order) {
  return interpret(jets(c.graph, {order, c.moving, false}), with_directions(c), c.rows);
}

// The gradient of <weights, output>, one tensor per input that moves.
std::vector<Tensor> gradients(const Case& c) {
  Tensors inputs = c.point;
  inputs["seed"] = c.weights;
  auto outputs = interpret(gradient(c.graph, {0, c.moving, "seed"}).graph, inputs, c.rows);
  outputs.erase(outputs.begin());
  return outputs;
}

TEST(OpDerivatives, TheAdjointIsTheTransposeOfTheJet) {
  for_each_case([](const Case& c) {
    const double forward = dot(coefficients(c, 1)[1], c.weights);
    const auto transposed = gradients(c);
    double backward = 0, scale = 1;
    for (size_t i = 0; i < c.moving.size(); ++i) {
      backward += dot(transposed[i], c.direction.at(c.moving[i]));
      scale = std::max(scale, largest(transposed[i]));
    }
    EXPECT_NEAR(forward, backward, 1e-10 * scale);
  });
}

TEST(OpDerivatives, AgreeWithFiniteDifferences) {
  for_each_case([](const Case& c) {
    const Tensor slope = coefficients(c, 1)[1];
    const double step = 1e-5;
    const Tensor above = c.value(step), below = c.value(-step);
    Tensor quotient(DType::f64, slope.shape());
    const auto values = quotient.mutable_data<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = (above.at(static_cast<int64_t>(i)) - below.at(static_cast<int64_t>(i))) / (2 * step);
    }
    EXPECT_LE(distance(slope, quotient), 1e-6 * std::max(1.0, largest(slope)));
  });
}

// |sum of c_k t^k - f(x + t v)|
double remainder(const Case& c, const std::vector<Tensor>& terms, double t) {
  Tensor sum = terms[0].cast(DType::f64);
  const auto values = sum.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    double power = 1;
    for (size_t k = 1; k < terms.size(); ++k) values[i] += (power *= t) * terms[k].at(static_cast<int64_t>(i));
  }
  return distance(sum, c.value(t));
}

double largest_step(const Case& c) {
  switch (c.sample.range) {
    case Range::positive: return 0.04;
    case Range::separated: return 0.02;
    default: return c.sample.op == "acosh" || c.sample.op == "mod" ? 0.04 : 0.25;
  }
}

// From which order on the series is the function; 0 if it never ends.
int degree(const Op& op) {
  if (op.name == "mod" || op.name == "hard_swish" || op.name == "sum_of_products") return 2;
  if (op.op_class == OpClass::linear || op.op_class == OpClass::selection) return 1;
  return op.op_class == OpClass::bilinear && op.name != "div" ? 2 : 0;
}

TEST(OpDerivatives, JetsApproachTheFunctionWithTheirOrder) {
  for_each_case([](const Case& c) {
    const double noise = 1e-13 * std::max(1.0, largest(c.value(0)));
    const int exact_from = degree(op_named(c.sample.op));
    const auto all = coefficients(c, 6);
    for (int order = 1; order <= 6; ++order) {
      const std::vector<Tensor> terms(all.begin(), all.begin() + order + 1);
      double step = largest_step(c), error = remainder(c, terms, step), observed = INFINITY;
      const bool exact = exact_from > 0 && order >= exact_from;
      EXPECT_TRUE(!exact || error <= noise) << "order " << order << ", error " << error;
      for (int halving = 0; halving < 12 && error > noise; ++halving) {
        const double finer = remainder(c, terms, step /= 2);
        if (finer > noise) observed = std::log2(error / finer);
        error = finer;
      }
      EXPECT_TRUE(error <= noise || std::isfinite(observed)) << "order " << order << ", error " << error;
      EXPECT_GE(observed, order + 0.7) << "order " << order;
    }
  });
}

// v^T H v of <weights, output> by the directional derivative of the gradient graph.
double curvature_of_gradient(const Case& c, const Graph& graph) {
  Tensors inputs = with_directions(c);
  inputs["seed"] = c.weights;
  const auto outputs = interpret(jets(graph, {1, c.moving, false}), inputs, c.rows);
  double sum = 0;  // outputs: y.0, y.1, gradient.x0.0, gradient.x0.1, ...
  for (size_t i = 0; i < c.moving.size(); ++i) sum += dot(outputs[2 * i + 3], c.direction.at(c.moving[i]));
  return sum;
}

// ... by the gradient of the gradient graph. What is locally constant has none, and contributes nothing.
double curvature_by_reversal(const Case& c, const Graph& graph) {
  double sum = 0;
  for (size_t i = 0; i < c.moving.size(); ++i) {
    Graph twice;
    try {
      twice = gradient(graph, {i + 1, c.moving, "second"}).graph;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      continue;
    }
    Tensors inputs = c.point;
    inputs["seed"] = c.weights;
    inputs["second"] = c.direction.at(c.moving[i]);
    const auto outputs = interpret(twice, inputs, c.rows);
    for (size_t j = 0; j < c.moving.size(); ++j) sum += dot(outputs[j + 1], c.direction.at(c.moving[j]));
  }
  return sum;
}

TEST(OpDerivatives, TheSecondCoefficientIsHalfTheCurvature) {
  for_each_case([](const Case& c) {
    const Tensor second = coefficients(c, 2)[2];
    const double expected = 2 * dot(second, c.weights);
    const double scale = std::max(1.0, largest(second)) * static_cast<double>(second.size() + 1);
    const Graph graph = gradient(c.graph, {0, c.moving, "seed"}).graph;
    EXPECT_NEAR(curvature_of_gradient(c, graph), expected, 1e-10 * scale);
    EXPECT_NEAR(curvature_by_reversal(c, graph), expected, 1e-10 * scale);
  });
}

TEST(OpDerivatives, EveryDifferentiableOperationIsTried) {
  std::set<std::string> tried;
  for_each_case([&](const Case& c) {
    EXPECT_FALSE(c.moving.empty());
    tried.insert(c.sample.op);
  });
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    EXPECT_EQ(is_differentiable(op), tried.contains(name)) << name << " has no sample";
  }
}

TEST(OpDerivatives, RefusalsNameTheNode) {
  int refused = 0;
  for (const OpSample& sample : op_samples()) {
    if (!refuses(sample)) continue;
    const Graph graph = sample_graph(sample);
    expect_error(ErrorKind::unsupported, "sampled", [&] { gradient(graph); });
    expect_error(ErrorKind::unsupported, "sampled", [&] { jets(graph, {1, {}, false}); });
    ++refused;
  }
  EXPECT_EQ(refused, 6);
}

// The coefficients of op(x + t) at one x.
std::vector<double> series(const std::string& op, double x, int order) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.op(op, {b.input("x", real({1}))}));
  const Tensors inputs = {{"x", Tensor::of<double>({1}, {x})}, {"v.x", Tensor::of<double>({1}, {1.0})}};
  std::vector<double> result;
  for (const Tensor& term : interpret(jets(graph, {order, {}, false}), inputs, 1)) result.push_back(term.at(0));
  return result;
}

void expect_series(const std::string& op, double x, const std::vector<double>& expected, double tolerance = 1e-14) {
  const auto actual = series(op, x, static_cast<int>(expected.size()) - 1);
  for (size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], tolerance * std::max(1.0, std::abs(expected[k]))) << op << ", order " << k;
  }
}

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

TEST(JetsOfFunctions, HaveTheirKnownSeries) {
  constexpr int kOrder = 16;
  std::vector<double> exponential, geometric, sine, logarithm, root = {1};
  for (int k = 0; k <= kOrder; ++k) {
    exponential.push_back(1 / factorial(k));
    geometric.push_back(k % 2 == 0 ? 1 : -1);  // 1 / (1 + t)
    sine.push_back(k % 2 == 0 ? 0 : (k % 4 == 1 ? 1 : -1) / factorial(k));
    logarithm.push_back(k == 0 ? 0 : (k % 2 == 1 ? 1.0 : -1.0) / k);
    root.push_back(root.back() * (0.5 - k) / (k + 1));
  }
  root.pop_back();
  expect_series("exp", 0, exponential);
  expect_series("reciprocal", 1, geometric);
  expect_series("sin", 0, sine);
  expect_series("log", 1, logarithm);
  expect_series("sqrt", 1, root);
  expect_series("sigmoid", 0, {0.5, 0.25, 0, -1.0 / 48, 0, 1.0 / 480, 0, -17.0 / 80640, 0, 31.0 / 1451520});
  expect_series("tanh", 0, {0, 1, 0, -1.0 / 3, 0, 2.0 / 15, 0, -17.0 / 315, 0, 62.0 / 2835});
  const double a = 2 * std::numbers::inv_sqrtpi;
  expect_series("erf", 0, {0, a, 0, -a / 3, 0, a / 10, 0, -a / 42, 0, a / 216});
}

// 1 / (1 - x), written as a division, and x^-1 as a power.
TEST(JetsOfFunctions, DivisionAndPowersHaveTheGeometricSeries) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({1}));
  b.output("quotient", b.div(b.scalar(1), b.sub(b.scalar(1), x)));
  b.output("power", b.op("pow", {b.sub(b.scalar(1), x), b.scalar(-1)}));
  const Tensors inputs = {{"x", Tensor::of<double>({1}, {0.0})}, {"v.x", Tensor::of<double>({1}, {1.0})}};
  for (const Tensor& term : interpret(jets(graph, {16, {}, false}), inputs, 1)) EXPECT_NEAR(term.at(0), 1, 1e-13);
}

}  // namespace
}  // namespace ascribe::core
