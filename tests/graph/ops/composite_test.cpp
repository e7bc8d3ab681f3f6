#include <cmath>
#include <numbers>

#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes axis(int64_t value) { return {{"axis", ints({value})}}; }
Attributes reduction(const std::vector<int64_t>& axes, bool keepdims) {
  return {{"axes", ints(axes)}, {"keepdims", ints({keepdims})}};
}
Attributes normalization(const std::vector<int64_t>& axes, double epsilon) {
  return {{"axes", ints(axes)}, {"epsilon", reals({epsilon})}};
}
Attributes approximate(const char* how) { return {{"approximate", std::string(how)}}; }
Attributes alpha(double value) { return {{"alpha", reals({value})}}; }

Attributes share(int64_t guarded, double epsilon, double scale) {
  return {{"scale", reals({scale})}, {"epsilon", reals({epsilon})}, {"guarded", ints({guarded})}};
}

// Attributes to try with every composite operation, on an operand [N, 3, 4, 5].
const std::map<std::string, std::vector<Attributes>> kCases = {
    {"softmax", {axis(0), axis(1), axis(3)}},
    {"log_softmax", {axis(0), axis(2), axis(3)}},
    {"normalize",
     {normalization({3}, 1e-5), normalization({1, 3}, 0), normalization({0, 2}, 0.1), normalization({}, 1)}},
    {"gelu", {approximate("none"), approximate("tanh")}},
    {"hard_swish", {{}}},
    {"silu", {{}}},
    {"mish", {{}}},
    {"elu", {alpha(1), alpha(0.3)}},
    {"reduce_prod", {reduction({1}, false), reduction({2}, true), reduction({3}, false)}},
    {"reduce_log_sum_exp", {reduction({1}, false), reduction({2, 3}, true), reduction({0, 1, 2, 3}, false)}},
    {"share", {share(0, 0.1, 1), share(1, 0.1, -2)}},
    {"secant", {{{"absolute", reals({1e-4})}, {"relative", reals({0})}}}},
    {"sum_of_products", {{{"weights", reals({2})}}, {{"weights", reals({1, -0.5, 3})}}}},
};

// The operand as often as the operation takes one.
std::vector<Value> repeated(Value x, const Attributes& attributes) {
  const size_t pairs = attributes.has("weights") ? attributes.reals("weights").size() : 0;
  const size_t others = attributes.has("guarded") ? 3 : attributes.has("relative") ? 6 : 1;
  return std::vector<Value>(pairs > 0 ? 2 * pairs : others, x);
}

Value build_lowered(Builder& b, const Op& op, Value x, const Attributes& attributes) {
  return op.lower(b, repeated(x, attributes), attributes);
}

TEST(Composite, EveryLoweringEqualsItsFastVersion) {
  const int64_t batch = 2;
  const Tensor x = random_tensor({batch, 3, 4, 5}, 7, 2);
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (op.op_class != OpClass::composite) continue;
    const auto cases = kCases.find(name);
    ASSERT_NE(cases, kCases.end()) << name << " has no case here";
    for (size_t i = 0; i < cases->second.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}, case {}", name, i));
      const Attributes& attributes = cases->second[i];
      Graph graph;
      Builder b(graph);
      const Value input = b.input("x", real({kBatch, 3, 4, 5}));
      b.output("fast", b.op(name, repeated(input, attributes), attributes));
      b.output("lowered", build_lowered(b, op, input, attributes));
      EXPECT_EQ(b.type(graph.outputs[0].value), b.type(graph.outputs[1].value));
      const auto values = interpret(graph, {{"x", x}}, batch);
      expect_near(values[1], values[0], 1e-12);
    }
  }
}

TEST(Composite, NoLoweringUsesAnotherComposite) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (op.op_class != OpClass::composite) continue;
    for (const Attributes& attributes : kCases.at(name)) {
      Graph graph;
      Builder b(graph);
      build_lowered(b, op, b.input("x", real({kBatch, 3, 4, 5})), attributes);
      for (const Node& node : graph.nodes) EXPECT_NE(node.op->op_class, OpClass::composite) << name;
    }
  }
}

TEST(Softmax, ByHand) {
  const Tensor x = Tensor::of<double>({2, 2}, {0, std::log(3.0), 5, 5});
  const Tensor rows = apply_op("softmax", {x}, axis(1));
  EXPECT_NEAR(rows.at(0), 0.25, 1e-15);
  EXPECT_NEAR(rows.at(1), 0.75, 1e-15);
  EXPECT_NEAR(rows.at(2), 0.5, 1e-15);
  const Tensor columns = apply_op("softmax", {Tensor::of<double>({2, 2}, {0, 1, std::log(3.0), 1})}, axis(0));
  EXPECT_NEAR(columns.at(0), 0.25, 1e-15);
  EXPECT_NEAR(columns.at(1), 0.5, 1e-15);
  EXPECT_NEAR(columns.at(2), 0.75, 1e-15);
}

TEST(Softmax, IsStableForLargeOperands) {
  const Tensor x = Tensor::of<double>({3}, {1000, 1000, -1000});
  const auto y = values_of(apply_op("softmax", {x}, axis(0)));
  EXPECT_EQ(y, (std::vector<double>{0.5, 0.5, 0}));
  const auto logs = values_of(apply_op("log_softmax", {x}, axis(0)));
  EXPECT_DOUBLE_EQ(logs[0], -std::numbers::ln2);
  EXPECT_DOUBLE_EQ(logs[2], -2000 - std::numbers::ln2);
  const Tensor low = Tensor::of<double>({2}, {-1000, -1000});
  EXPECT_EQ(values_of(apply_op("softmax", {low}, axis(0))), (std::vector<double>{0.5, 0.5}));
}

TEST(Softmax, RefusesAnAxisThatIsNotThere) {
  for (const char* op : {"softmax", "log_softmax"}) {
    EXPECT_NE(refusal(op, {real({2, 3})}, axis(2)), "");
    EXPECT_NE(refusal(op, {real({2, 3})}, axis(-1)), "");
    EXPECT_NE(refusal(op, {real({})}, axis(0)), "");
    EXPECT_NE(refusal(op, {integer({2, 3})}, axis(1)), "");
  }
}

TEST(Normalize, ByHand) {
  // Rows 1, 3 and 2, 6: means 2 and 4, variances 1 and 4.
  const Tensor x = Tensor::of<double>({2, 2}, {1, 3, 2, 6});
  EXPECT_EQ(values_of(apply_op("normalize", {x}, normalization({1}, 0))), (std::vector<double>{-1, 1, -1, 1}));
  EXPECT_EQ(values_of(apply_op("normalize", {x}, normalization({1}, 3)))[1], 0.5);
  // Columns 1, 2 and 3, 6: means 1.5 and 4.5, deviations 0.5 and 1.5.
  EXPECT_EQ(values_of(apply_op("normalize", {x}, normalization({0}, 0))), (std::vector<double>{-1, -1, 1, 1}));
}

TEST(Normalize, KeepsItsDigitsFarFromZeroInFloat32) {
  const Tensor x = Tensor::of<float>({1, 2}, {16777214, 16777216});
  const Tensor y = apply_op("normalize", {x}, normalization({1}, 0), DType::f32);
  EXPECT_EQ(values_of(y), (std::vector<double>{-1, 1}));
}

TEST(Normalize, RefusesAxesAndEpsilonsThatMakeNoSense) {
  const Type x = real({kBatch, 3});
  EXPECT_EQ(infer_op("normalize", {x}, normalization({1}, 0)), x);
  EXPECT_NE(refusal("normalize", {x}, normalization({2}, 0)), "");
  EXPECT_NE(refusal("normalize", {x}, normalization({-1}, 0)), "");
  EXPECT_NE(refusal("normalize", {x}, normalization({1, 1}, 0)), "");
  EXPECT_NE(refusal("normalize", {x}, normalization({1}, -1)), "");
  EXPECT_NE(refusal("normalize", {x}, normalization({1}, std::nan(""))), "");
}

TEST(Activations, HaveTheirTabulatedValues) {
  const auto value = [](const char* op, double x, const Attributes& attributes = {}) {
    return apply_op(op, {Tensor::scalar(x)}, attributes).at(0);
  };
  EXPECT_NEAR(value("gelu", 1, approximate("none")), 0.8413447460685429, 1e-15);  // Phi(1)
  EXPECT_NEAR(value("gelu", -2, approximate("none")), -2 * 0.022750131948179195, 1e-15);
  EXPECT_NEAR(value("gelu", 1, approximate("tanh")), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(value("silu", 2), 2 * 0.8807970779778823, 1e-15);
  EXPECT_NEAR(value("silu", -1000), 0, 1e-300);
  EXPECT_NEAR(value("mish", 1), 0.8650983882673103, 1e-15);
  EXPECT_EQ(value("mish", 1000), 1000);
  EXPECT_EQ(value("hard_swish", -4), 0);
  EXPECT_NEAR(value("hard_swish", 1), 2.0 / 3, 1e-15);
  EXPECT_EQ(value("hard_swish", 5), 5);
  EXPECT_EQ(value("elu", 2, alpha(3)), 2);
  EXPECT_NEAR(value("elu", -1, alpha(2)), 2 * (1 / std::numbers::e - 1), 1e-15);
  EXPECT_EQ(value("elu", 1000, alpha(1)), 1000);
}

TEST(Gelu, RefusesAnUnknownApproximation) { EXPECT_NE(refusal("gelu", {real({2})}, approximate("sigmoid")), ""); }

}  // namespace
}  // namespace ascribe::core
