#include <cmath>
#include <limits>
#include <numbers>

#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

double at_point(std::string_view op, double x) { return apply_op(op, {Tensor::scalar(x)}).at(0); }

struct Point {
  const char* op;
  double x, y;
};

// Values from tables, independent of the library functions.
const std::vector<Point> kPoints = {
    {"sigmoid", 0, 0.5},
    {"sigmoid", 2, 0.88079707797788243},
    {"sigmoid", -1000, 0},
    {"tanh", 0.5, 0.46211715726000976},
    {"tanh", -400, -1},
    {"exp", 1, std::numbers::e},
    {"exp", -2, 0.1353352832366127},
    {"log", 10, std::numbers::ln10},
    {"log", 0, -kInfinity},
    {"erf", 0.5, 0.5204998778130465},
    {"erf", -1, -0.8427007929497149},
    {"softplus", 0, std::numbers::ln2},
    {"softplus", 1, 1.3132616875182228},
    {"softplus", 1000, 1000},
    {"softplus", -1000, 0},
    {"sqrt", 2, std::numbers::sqrt2},
    {"reciprocal", -4, -0.25},
    {"reciprocal", 0, kInfinity},
    {"sin", kPi / 6, 0.5},
    {"cos", kPi / 3, 0.5},
    {"tan", kPi / 4, 1},
    {"asin", 0.5, kPi / 6},
    {"acos", 0.5, kPi / 3},
    {"atan", -1, -kPi / 4},
    {"sinh", 1, 1.1752011936438014},
    {"cosh", 1, 1.5430806348152437},
    {"asinh", 1, 0.881373587019543},
    {"acosh", 2, 1.3169578969248166},
    {"atanh", 0.5, 0.5493061443340549},
};

TEST(Elementwise, FunctionsHaveTheirTabulatedValues) {
  for (const auto& [op, x, y] : kPoints) {
    EXPECT_DOUBLE_EQ(at_point(op, x), y) << op << "(" << x << ")";
    const Tensor single = apply_op(op, {Tensor::scalar(x)}, {}, DType::f32);
    EXPECT_EQ(single.dtype(), DType::f32);
    EXPECT_FLOAT_EQ(static_cast<float>(single.at(0)), static_cast<float>(y)) << op << "(" << x << ") in float32";
  }
}

TEST(Elementwise, EveryFunctionOfOneVariableIsTabulated) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (op.op_class != OpClass::elementwise || op.max_inputs != 1) continue;
    const bool tabulated =
        std::any_of(kPoints.begin(), kPoints.end(), [&op_name = name](const Point& p) { return p.op == op_name; });
    EXPECT_TRUE(tabulated) << name;
  }
}

TEST(Elementwise, FunctionsKeepShapesThatGrowWithTheBatchAndRefuseIntegers) {
  for (const auto& [op, x, y] : kPoints) {
    EXPECT_EQ(infer_op(op, {real({kBatch, 3})}), real({kBatch, 3})) << op;
    EXPECT_NE(refusal(op, {integer({2})}), "") << op;
  }
}

TEST(Elementwise, ArgumentsOutsideTheDomainGiveNaN) {
  for (const auto& [op, x] : {std::pair{"log", -1.0}, {"sqrt", -1.0}, {"asin", 1.5}, {"acosh", 0.5}, {"atanh", 2.0}}) {
    EXPECT_TRUE(std::isnan(at_point(op, x))) << op;
  }
}

TEST(Softplus, KeepsItsDigitsWhereItIsTiny) {
  // log(1 + t) = t - t^2 / 2 + ...; 1 + exp(-40) rounds to 1.
  EXPECT_DOUBLE_EQ(at_point("softplus", -40), std::exp(-40.0));
}

TEST(Pow, BroadcastsAndTakesRealExponents) {
  const Tensor a = Tensor::of<double>({2, 1}, {2, 9});
  const Tensor b = Tensor::of<double>({3}, {0.5, -1, 3});
  const Tensor y = apply_op("pow", {a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  const std::vector<double> expected = {std::numbers::sqrt2, 0.5, 8, 3, 1.0 / 9, 729};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(y.at(i), expected[i]);
}

TEST(Pow, OfIntegersIsExact) {
  const Tensor a = Tensor::of<int64_t>({7}, {3, -2, -1, -1, 7, 2, 0});
  const Tensor b = Tensor::of<int64_t>({7}, {39, 3, -5, -4, -1, 62, 0});
  const Tensor y = apply_op("pow", {a, b});
  const std::vector<int64_t> expected = {4052555153018976267, -8, -1, 1, 0, int64_t{1} << 62, 1};
  EXPECT_EQ(std::vector<int64_t>(y.data<int64_t>().begin(), y.data<int64_t>().end()), expected);
}

TEST(Pow, OfZeroWithANegativeIntegerExponentIsRefused) {
  EXPECT_THROW(apply_op("pow", {Tensor::scalar<int64_t>(0), Tensor::scalar<int64_t>(-1)}), Error);
}

}  // namespace
}  // namespace ascribe::core
