// What a session makes of groups of operations (row programs, moves, views) against the slow interpreter, on the blocks
// that transformers and ConvNeXt are made of, in several spellings, and on their gradients.
#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "passes/gradient.h"
#include "runtime/kernels/row_loops.h"
#include "runtime/row_program.h"
#include "runtime/session.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed, double scale = 1.0) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * random.normal(i);
  return tensor.cast(DType::f32);
}

// Relative to the largest expected value.
double difference(const Tensor& actual, const Tensor& expected) {
  double largest = 1e-30, worst = 0;
  for (int64_t i = 0; i < expected.size(); ++i) largest = std::max(largest, std::abs(expected.at(i)));
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(actual.at(i) - expected.at(i));
    if (!(error <= worst)) worst = error;
  }
  return worst / largest;
}

class Block {
 public:
  Builder& b() { return b_; }
  Value input(Dims shape) { return b_.input("x", {Kind::real, std::move(shape)}); }
  Value weight(Shape shape, double scale = 0.3) { return b_.constant(noise(shape, ++seed_, scale)); }
  Graph graph(Value result) {
    b_.output("y", result);
    return std::move(graph_);
  }

  // The last axis, as exporters without the operator write it.
  Value layer_norm(Value x, int64_t width) {
    const int64_t axis = b_.rank(x) - 1;
    const Value centred = b_.sub(x, b_.reduce("reduce_mean", x, {axis}, true));
    const Value variance = b_.reduce("reduce_mean", b_.mul(centred, centred), {axis}, true);
    return affine(b_.div(centred, b_.op("sqrt", {b_.add(variance, 1e-5)})), width);
  }
  Value normalized(Value x, int64_t width) {
    return affine(b_.op("normalize", {x}, {{"axes", ints({b_.rank(x) - 1})}, {"epsilon", reals({1e-6})}}), width);
  }
  Value affine(Value x, int64_t width) { return b_.add(b_.mul(x, weight({width})), weight({width})); }
  Value gelu(Value x) {
    const Value odd = b_.op("erf", {b_.div(x, b_.scalar(std::sqrt(2.0)))});
    return b_.mul(b_.mul(x, b_.add(odd, 1)), 0.5);
  }
  Value gelu_by_tanh(Value x) {
    const Value cube = b_.mul(b_.mul(x, b_.mul(x, x)), 0.044715);
    const Value inner = b_.mul(b_.add(x, cube), std::sqrt(2 / 3.14159265358979323846));
    return b_.mul(b_.mul(x, 0.5), b_.add(b_.op("tanh", {inner}), 1));
  }
  Value softmax(Value x) { return b_.op("softmax", {x}, {{"axis", ints({b_.rank(x) - 1})}}); }
  // One axis, by what stands before and behind.
  Value rolled(Value x, int64_t axis, int64_t by) {
    const int64_t size = b_.shape(x)[axis].fixed;
    return b_.concat({b_.slice(x, axis, by, size - by), b_.slice(x, axis, 0, by)}, axis);
  }

 private:
  Graph graph_;
  Builder b_{graph_};
  uint64_t seed_ = 100;
};

Graph layer_norms() {
  Block n;
  const Value x = n.input({kBatch, 7, 24});
  Value h = n.b().matmul(n.layer_norm(x, 24), n.weight({24, 40}));
  h = n.b().matmul(n.normalized(h, 40), n.weight({40, 24}));
  return n.graph(n.b().add(n.layer_norm(n.b().add(h, x), 24), h));
}

Graph narrow_rows() {
  Block n;
  const Value x = n.input({kBatch, 3, 1});
  return n.graph(n.layer_norm(n.b().mul(x, n.weight({3, 1})), 1));
}

Graph activations() {
  Block n;
  Builder& b = n.b();
  const Value x = n.input({kBatch, 5, 33});
  Value h = n.gelu(b.matmul(x, n.weight({33, 31})));
  h = n.gelu_by_tanh(b.add(b.matmul(h, n.weight({31, 33})), n.weight({33})));
  h = b.matmul(h, n.weight({33, 33}));
  h = b.mul(h, b.op("sigmoid", {h}));
  // Nearly GELU, and not: other constants.
  h = b.matmul(h, n.weight({33, 33}));
  h = b.mul(b.mul(h, b.add(b.op("erf", {b.div(h, b.scalar(1.5))}), 1)), 0.5);
  return n.graph(b.add(h, x));
}

// Convolutions with ReLU6, HardSwish and a gate by HardSigmoid between them, as MobileNets have them; odd channels.
Graph clips() {
  Block n;
  Builder& b = n.b();
  const auto clip = [&](Value v, double low, double high) {
    return b.op("clip", {v}, {{"min", reals({low})}, {"max", reals({high})}});
  };
  const auto conv = [&](Value v, Shape weight, int64_t pad) {
    return b.op("conv", {v, n.weight(std::move(weight))},
                {{"strides", ints({1, 1})},
                 {"pads", ints({pad, pad, pad, pad})},
                 {"dilations", ints({1, 1})},
                 {"group", ints({1})}});
  };
  Value h = clip(conv(n.input({kBatch, 3, 9, 8}), {20, 3, 3, 3}, 1), 0, 6);
  h = conv(h, {24, 20, 1, 1}, 0);
  h = b.mul(h, clip(b.add(b.mul(h, 1.0 / 6), 0.5), 0, 1));
  const Value gate = clip(b.add(b.mul(conv(h, {24, 24, 1, 1}, 0), 0.2), 0.5), 0, 1);
  h = conv(b.mul(h, gate), {16, 24, 3, 3}, 0);
  return n.graph(b.add(clip(h, -0.5, std::numeric_limits<double>::infinity()), clip(h, -1, 1)));
}

// Scores with a bias for each head and a mask for each window, in odd sizes.
Graph masked_softmax() {
  Block n;
  Builder& b = n.b();
  const Value x = n.input({kBatch, 6, 5, 7});
  Value h = b.add(b.mul(x, 0.37), n.weight({1, 6, 5, 7}));
  h = b.add(b.reshape(h, {kBatch, 2, 3, 5, 7}), n.weight({1, 2, 1, 5, 7}));
  h = b.mul(n.softmax(b.reshape(h, {kBatch, 6, 5, 7})), n.weight({6, 1, 7}));
  return n.graph(b.div(h, b.add(b.reduce("reduce_sum", h, {3}, true), 2)));
}

// Heads of attention: one product for queries, keys and values, cut and transposed. `first`: positions are the first
// axis, as in PyTorch's own module.
Graph attention(bool first) {
  Block n;
  Builder& b = n.b();
  const Value x = n.input({kBatch, 9, 32});
  Value h = first ? b.transpose(n.normalized(x, 32), {1, 0, 2}) : n.normalized(x, 32);
  h = b.add(b.matmul(h, n.weight({32, 96})), n.weight({96}));
  Dims lead = b.shape(h);
  lead.pop_back();
  const auto heads = [&](int64_t which, bool turned) {
    Dims shape = lead;
    shape.insert(shape.end(), {4, 8});
    const Value part = b.reshape(b.slice(h, 2, 32 * which, 32), shape);
    if (first) return b.transpose(part, turned ? std::vector<int64_t>{1, 2, 3, 0} : std::vector<int64_t>{1, 2, 0, 3});
    return b.transpose(part, turned ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 2, 1, 3});
  };
  const Value scores = b.matmul(b.mul(heads(0, false), 0.6), b.mul(heads(1, true), 0.6));
  Value mixed = b.matmul(n.softmax(scores), heads(2, false));
  mixed = b.reshape(b.transpose(mixed, {0, 2, 1, 3}), {kBatch, 9, 32});
  return n.graph(b.add(b.matmul(mixed, n.weight({32, 32})), x));
}

// A Swin block: shifted windows, attention without heads in each, and back.
Graph windows() {
  Block n;
  Builder& b = n.b();
  const Value x = n.input({kBatch, 8, 8, 16});
  Value h = n.rolled(n.rolled(n.normalized(x, 16), 1, 3), 2, 3);
  h = b.transpose(b.reshape(h, {kBatch, 2, 4, 2, 4, 16}), {0, 1, 3, 2, 4, 5});
  h = b.reshape(h, {Dim(0, 4), 16, 16});
  const Value mixed = b.matmul(n.softmax(b.matmul(h, h, false, true)), h);
  h = b.matmul(mixed, n.weight({16, 16}));
  h = b.transpose(b.reshape(h, {kBatch, 2, 2, 4, 4, 16}), {0, 1, 3, 2, 4, 5});
  h = n.rolled(n.rolled(b.reshape(h, {kBatch, 8, 8, 16}), 1, 5), 2, 5);
  return n.graph(b.add(h, x));
}

// Pieces that overlap: their gradients are sums, not moves.
Graph overlapping() {
  Block n;
  Builder& b = n.b();
  const Value x = n.input({kBatch, 6, 16});
  const Value a = b.slice(x, 1, 0, 4), c = b.slice(x, 1, 2, 4);
  return n.graph(b.mul(b.matmul(a, n.weight({16, 16})), b.matmul(c, n.weight({16, 16}))));
}

Graph conv_next(int64_t channels) {
  Block n;
  Builder& b = n.b();
  const auto conv = [&](Value x, Shape shape, int64_t stride, int64_t pad, int64_t group) {
    return b.op("conv", {x, n.weight(shape), n.weight({shape[0]})},
                {{"strides", ints({stride, stride})},
                 {"pads", ints({pad, pad, pad, pad})},
                 {"dilations", ints({1, 1})},
                 {"group", ints({group})}});
  };
  const Value x = n.input({kBatch, 3, 18, 18});
  Value h = conv(x, {channels, 3, 2, 2}, 2, 0, 1);
  for (int i = 0; i < 2; ++i) {
    const Value before = h;
    h = conv(h, {channels, 1, 7, 7}, 1, 3, channels);
    h = n.normalized(b.transpose(h, {0, 2, 3, 1}), channels);
    h = n.gelu(b.add(b.matmul(h, n.weight({channels, 2 * channels})), n.weight({2 * channels})));
    h = b.matmul(h, n.weight({2 * channels, channels}));
    h = b.add(b.mul(b.transpose(h, {0, 3, 1, 2}), n.weight({channels, 1, 1})), before);
  }
  h = b.transpose(n.normalized(b.transpose(h, {0, 2, 3, 1}), channels), {0, 3, 1, 2});
  h = conv(h, {4, channels, 2, 2}, 2, 0, 1);
  return n.graph(b.reduce("reduce_mean", h, {2, 3}, false));
}

struct Case {
  std::string name;
  std::function<Graph()> make;
};

class Fusion : public testing::TestWithParam<Case> {};

void expect_like_interpreter(const Graph& graph, int64_t rows) {
  std::map<std::string, Tensor> named;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Port& port = graph.inputs[i];
    inputs.push_back(noise(at(graph[port.value].type.shape, rows), 7 + i));
    named[port.name] = inputs.back().cast(DType::f64);
  }
  const auto expected = interpret(graph, named, rows);
  for (const DType real : {DType::f32, DType::f64}) {
    Session session(graph, {.real = real});
    const auto actual = session.run(inputs);
    // Sums of some hundred products in float.
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(difference(actual[i], expected[i]), real == DType::f32 ? 1e-5 : 1e-12) << i << ", " << rows << " rows";
    }
  }
}

TEST_P(Fusion, GivesTheValuesAndGradientsOfTheSingleOperations) {
  const Graph graph = GetParam().make();
  const Graph slopes = gradient(graph).graph;
  for (const int threads : {1, 2}) {
    const ThreadCount guard(threads);
    for (const int64_t rows : {1, 2, 5}) {
      expect_like_interpreter(graph, rows);
      expect_like_interpreter(slopes, rows);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Fusion,
                         testing::Values(Case{"layer_norms", layer_norms}, Case{"narrow_rows", narrow_rows},
                                         Case{"activations", activations}, Case{"clips", clips},
                                         Case{"masked_softmax", masked_softmax},
                                         Case{"attention", [] { return attention(false); }},
                                         Case{"attention_positions_first", [] { return attention(true); }},
                                         Case{"windows", windows}, Case{"overlapping", overlapping},
                                         Case{"conv_next", [] { return conv_next(16); }},
                                         Case{"conv_next_odd", [] { return conv_next(5); }}),
                         [](const auto& instance) { return instance.param.name; });

std::map<std::string, int> steps_of(Graph graph) {
  std::map<std::string, int> count;
  Session session(std::move(graph));
  for (const std::string& name : session.step_names(2)) ++count[name];
  return count;
}

TEST(FusedSteps, LeavesNoSingleOperationsBetweenProducts) {
  const auto steps = steps_of(gradient(layer_norms()).graph);
  for (const char* op : {"mul", "div", "sub", "sqrt", "reduce_mean", "reduce_sum", "normalize", "expand"}) {
    EXPECT_FALSE(steps.contains(op)) << op;
  }
  EXPECT_TRUE(steps.contains("row_program"));
}

TEST(FusedSteps, ComparesAndChoosesOnTheWay) {
  const auto steps = steps_of(gradient(clips()).graph);
  for (const char* op : {"less", "logical_and", "where"}) EXPECT_FALSE(steps.contains(op)) << op;
}

TEST(FusedSteps, MovesWindowsOnceThereAndOnceBack) {
  auto steps = steps_of(windows());
  EXPECT_EQ(steps["moves"], 2);
  for (const char* op : {"slice", "concat", "transpose"}) EXPECT_EQ(steps[op], 0) << op;
  steps = steps_of(gradient(windows()).graph);
  EXPECT_EQ(steps["pad"], 0);
}

TEST(FusedSteps, HandsOnWhatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  for (const Graph& graph : {activations(), layer_norms(), windows()}) {
    const Shape shape = at(graph[graph.inputs[0].value].type.shape, 3);
    for (const float bad : {kNan, kInf, -kInf}) {
      Tensor x = noise(shape, 3);
      x.mutable_data<float>()[0] = bad;
      const auto expected = interpret(graph, {{"x", x}}, 3, DType::f32)[0];
      Session session(graph);
      const Tensor actual = session.run(std::array{x})[0];
      for (int64_t i = 0; i < actual.size(); ++i) {
        ASSERT_EQ(std::isfinite(actual.at(i)), std::isfinite(expected.at(i))) << bad << " at " << i;
      }
    }
  }
}

class Loops : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (GetParam() >= all_row_loops().size()) GTEST_SKIP() << "not on this processor";
  }
};

TEST_P(Loops, AreTheFunctionsOfTheStandardLibrary) {
  const RowLoops& loops = *all_row_loops()[GetParam()];
  std::vector<float> x;
  for (double v = -110; v < 110; v += 0.0371) x.push_back(static_cast<float>(v));
  for (double v = -6; v < 6; v += 0.00171) x.push_back(static_cast<float>(v));
  for (const double v : {0.0, -0.0, 1e-30, -1e-30, 1e-5, 3e38, -3e38}) x.push_back(static_cast<float>(v));
  struct Function {
    RowOp op;
    double (*f)(double);
    double relative, absolute;
  };
  const Function functions[] = {
      {RowOp::exp, [](double v) { return std::exp(v); }, 3e-7, 1e-44},
      {RowOp::erf, [](double v) { return std::erf(v); }, 6e-7, 0},
      {RowOp::tanh, [](double v) { return std::tanh(v); }, 6e-7, 0},
      {RowOp::sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); }, 6e-7, 1e-38},
      // 1 + erf cancels on the left, as it does in the reference: some ulp of 1 times x / 2.
      {RowOp::gelu, [](double v) { return 0.5 * v * (1 + std::erf(v * std::sqrt(0.5))); }, 6e-7, 1e-6},
      {RowOp::relu, [](double v) { return v > 0 ? v : 0; }, 0, 0},
  };
  std::vector<float> y(x.size());
  for (const Function& function : functions) {
    loops.unary(function.op, y.data(), x.data(), std::ssize(x));
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = function.f(x[i]);
      if (std::abs(expected) > 3.4e38) {
        EXPECT_TRUE(std::isinf(y[i]));
        continue;
      }
      ASSERT_NEAR(y[i], expected, function.relative * std::abs(expected) + function.absolute)
          << static_cast<int>(function.op) << " at " << x[i];
    }
  }
}

// Also where exp(x) is nearly 1, and where it is nothing beside 1.
TEST_P(Loops, EluLosesNoSmallNumbers) {
  const RowLoops& loops = *all_row_loops()[GetParam()];
  std::vector<float> x = {0.0F, -0.0F, -1e-30F, -1e-41F, -3e38F, 3e38F, 1e-30F};
  for (double v = -25; v < 2; v += 0.00037) x.push_back(static_cast<float>(v));
  for (double v = -1; v < -1e-12; v *= 0.97) x.push_back(static_cast<float>(v));
  std::vector<float> y(x.size());
  for (const float alpha : {1.0F, 1.67F, -0.5F, 1e30F}) {
    loops.binary(RowOp::elu, y.data(), x.data(), 1, &alpha, 0, std::ssize(x));
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = x[i] > 0 ? x[i] : alpha * std::expm1(static_cast<double>(x[i]));
      ASSERT_NEAR(y[i], expected, 3e-7 * std::abs(expected) + 1e-44) << x[i] << ", alpha " << alpha;
    }
  }
}

TEST_P(Loops, SlopesAreDerivatives) {
  const RowLoops& loops = *all_row_loops()[GetParam()];
  for (float x = -7; x < 7; x += 0.0173F) {
    const double phi = std::exp(-0.5 * x * x) / std::sqrt(2 * 3.14159265358979323846);
    const double s = 1 / (1 + std::exp(-static_cast<double>(x)));
    const float factor = -1.75F;
    float y = 0;
    loops.binary(RowOp::gelu_slope, &y, &factor, 1, &x, 1, 1);
    ASSERT_NEAR(y, factor * (0.5 * (1 + std::erf(x * std::sqrt(0.5))) + x * phi), 1e-6) << x;
    loops.binary(RowOp::silu_slope, &y, &factor, 1, &x, 1, 1);
    ASSERT_NEAR(y, factor * s * (1 + x * (1 - s)), 1e-6) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Loops, testing::Values(0, 1, 2));

TEST(RowProgram, IsRecognisedByItsValuesOnly) {
  using From = RowOperand::From;
  const RowOperand x{From::input, 0};
  const auto gelu_with = [&](double root) {
    RowProgram program;
    program.numbers = {root, 1, 0.5};
    program.code = {{RowOp::div, x, {From::number, 0}},
                    {RowOp::erf, {From::instruction, 0}, {From::instruction, 0}},
                    {RowOp::add, {From::instruction, 1}, {From::number, 1}},
                    {RowOp::mul, x, {From::instruction, 2}},
                    {RowOp::mul, {From::instruction, 3}, {From::number, 2}}};
    return program;
  };
  RowProgram exact = gelu_with(std::sqrt(2.0F)), other = gelu_with(1.4143);
  recognise(exact);
  ASSERT_EQ(exact.code.size(), 1U);
  EXPECT_EQ(exact.code[0].op, RowOp::gelu);
  recognise(other);
  EXPECT_EQ(other.code.size(), 5U);

  RowProgram later = gelu_with(std::sqrt(2.0F));  // the same for small numbers, plus exp(x - 100)
  later.numbers.push_back(100);
  later.code.push_back({RowOp::sub, x, {From::number, 3}});
  later.code.push_back({RowOp::exp, {From::instruction, 5}, {From::instruction, 5}});
  later.code.push_back({RowOp::add, {From::instruction, 4}, {From::instruction, 6}});
  recognise(later);
  EXPECT_EQ(later.code.size(), 8U);
}

}  // namespace
}  // namespace ascribe::core
