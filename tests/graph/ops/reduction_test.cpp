#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/parallel.h"
#include "support/errors.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes over(const std::vector<int64_t>& axes, bool keepdims = false) {
  return {{"axes", ints(axes)}, {"keepdims", ints({keepdims})}};
}

const std::vector<std::string> kReductions = {"reduce_sum", "reduce_mean", "reduce_max",
                                              "reduce_min", "reduce_prod", "reduce_log_sum_exp"};

double reduce_list(const std::string& name, const std::vector<double>& x) {
  double sum = 0, product = 1, exponentials = 0, largest = -INFINITY, smallest = INFINITY;
  for (const double value : x) {
    sum += value;
    product *= value;
    exponentials += std::exp(value);
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
  }
  if (name == "reduce_sum") return sum;
  if (name == "reduce_mean") return sum / static_cast<double>(x.size());
  if (name == "reduce_max") return largest;
  if (name == "reduce_min") return smallest;
  return name == "reduce_prod" ? product : std::log(exponentials);
}

// By the definition: every element goes to the list of the output it belongs to.
std::vector<double> reduce_slowly(const std::string& name, const Tensor& x, const std::vector<int64_t>& axes) {
  Shape kept = x.shape();
  for (const int64_t axis : axes) kept[axis] = 1;
  std::vector<std::vector<double>> lists(element_count(kept));
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    int64_t rest = flat, target = 0, stride = 1;
    for (int64_t axis = x.rank() - 1; axis >= 0; --axis) {
      target += rest % x.shape()[axis] % kept[axis] * stride;
      stride *= kept[axis];
      rest /= x.shape()[axis];
    }
    lists[target].push_back(x.at(flat));
  }
  std::vector<double> result;
  for (const auto& list : lists) result.push_back(reduce_list(name, list));
  return result;
}

TEST(Reductions, AgreeWithTheirDefinitionForAnyAxes) {
  const Tensor x = random_tensor({2, 3, 1, 4, 2}, 7);
  const std::vector<std::vector<int64_t>> choices = {
      {}, {0}, {1}, {4}, {1, 2}, {3, 4}, {0, 4}, {0, 2, 4}, {1, 3}, {4, 0}, {0, 1, 3}, {2}, {1, 4}, {0, 1, 2, 3, 4}};
  for (const std::string& name : kReductions) {
    for (const auto& axes : choices) {
      const auto expected = reduce_slowly(name, x, axes);
      const Tensor actual = apply_op(name, {x}, over(axes, true));
      ASSERT_EQ(actual.size(), std::ssize(expected));
      for (int64_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual.at(i), expected[i], 1e-13) << name;
    }
  }
}

TEST(Reductions, AxesStayAsOnesOrGo) {
  EXPECT_EQ(infer_op("reduce_sum", {real({kBatch, 3, 4})}, over({1}, true)), real({kBatch, 1, 4}));
  EXPECT_EQ(infer_op("reduce_sum", {real({kBatch, 3, 4})}, over({2, 0})), real({3}));
}

TEST(Reductions, WrongAxesAreRefused) {
  for (const std::string& name : kReductions) {
    EXPECT_NE(refusal(name, {real({2, 3})}, over({2})), "") << name;
    EXPECT_NE(refusal(name, {real({2, 3})}, over({-1})), "") << name;
    EXPECT_NE(refusal(name, {real({2, 3})}, over({0, 0})), "") << name;
    EXPECT_NE(refusal(name, {boolean({2, 3})}, over({0})), "") << name;
  }
}

TEST(Reductions, LoweringsGiveTheSameValue) {
  for (const std::string name : {"reduce_prod", "reduce_log_sum_exp"}) {
    for (const bool keepdims : {false, true}) {
      const Tensor x = random_tensor({2, 5, 3, 4}, 3);
      const Attributes attributes = over({3, 1}, keepdims);
      Graph graph;
      Builder b(graph);
      const Value input = b.input("x", real({kBatch, 5, 3, 4}));
      b.output("y", op_named(name).lower(b, std::array{input}, attributes));
      for (const Node& node : graph.nodes) EXPECT_NE(node.op->op_class, OpClass::composite);
      expect_near(interpret(graph, {{"x", x}}, 2)[0], apply_op(name, {x}, attributes), 1e-12);
    }
  }
}

TEST(Reductions, GiveTheSameBitsForAnyThreadCount) {
  const Tensor x = random_tensor({70, 50, 60}, 5);
  const int before = thread_count();
  for (const std::string& name : kReductions) {
    for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0}, {1}, {0, 2}}) {
      set_thread_count(1);
      const auto serial = values_of(apply_op(name, {x}, over(axes)));
      set_thread_count(5);
      EXPECT_EQ(values_of(apply_op(name, {x}, over(axes))), serial) << name;
    }
  }
  set_thread_count(before);
}

TEST(Reductions, OfNoElementsGiveTheNeutralOne) {
  const Tensor nothing(DType::f64, {2, 0});
  EXPECT_EQ(values_of(apply_op("reduce_sum", {nothing}, over({1}))), (std::vector<double>{0, 0}));
  EXPECT_EQ(values_of(apply_op("reduce_prod", {nothing}, over({1}))), (std::vector<double>{1, 1}));
  EXPECT_EQ(apply_op("reduce_log_sum_exp", {nothing}, over({1})).at(1), -INFINITY);
  EXPECT_TRUE(std::isnan(apply_op("reduce_mean", {nothing}, over({1})).at(0)));
  EXPECT_EQ(apply_op("reduce_sum", {nothing}, over({0})).shape(), (Shape{0}));
}

TEST(Reductions, LoweringsOfNoElementsGiveTheNeutralOne) {
  for (const std::string name : {"reduce_prod", "reduce_log_sum_exp"}) {
    Graph graph;
    Builder b(graph);
    const Value input = b.input("x", real({kBatch, 0}));
    b.output("y", op_named(name).lower(b, std::array{input}, over({1})));
    const Tensor y = interpret(graph, {{"x", Tensor(DType::f64, {2, 0})}}, 2)[0];
    EXPECT_EQ(y.shape(), (Shape{2}));
    EXPECT_EQ(y.at(0), name == "reduce_prod" ? 1 : -INFINITY);
  }
}

TEST(Reductions, AnEmptyTensorWithHugeExtentsCostsNothing) {
  const Tensor nothing(DType::f64, {int64_t{1} << 40, 0, int64_t{1} << 20});
  EXPECT_EQ(apply_op("reduce_sum", {nothing}, over({0, 2})).shape(), (Shape{0}));
}

TEST(ReduceMax, OfNoElementsIsRefused) {
  EXPECT_NE(refusal("reduce_max", {real({2, 0})}, over({1})), "");
  EXPECT_EQ(refusal("reduce_max", {real({2, 0})}, over({0})), "") << "there are no outputs either";
  const Type type = infer_op("reduce_min", {real({Dim(-1, 1)})}, over({0}));
  expect_error(ErrorKind::shape, "no elements", [&] {
    evaluate(op_named("reduce_min"), std::array{Tensor(DType::f64, {0})}, over({0}), type, 1, DType::f64);
  });
}

TEST(ReduceMax, NanPropagatesFromAnyPlace) {
  for (int64_t place = 0; place < 3; ++place) {
    Tensor x = Tensor::of<double>({3}, {1, 5, 2});
    x.mutable_data<double>()[place] = NAN;
    EXPECT_TRUE(std::isnan(apply_op("reduce_max", {x}, over({0})).at(0)));
    EXPECT_TRUE(std::isnan(apply_op("reduce_min", {x}, over({0})).at(0)));
  }
}

TEST(ReduceMax, InfinitiesAndIntegersWork) {
  EXPECT_EQ(apply_op("reduce_max", {Tensor::of<double>({2}, {-INFINITY, -INFINITY})}, over({0})).at(0), -INFINITY);
  const Tensor x = Tensor::of<int64_t>({2}, {INT64_MIN, INT64_MIN + 1});
  EXPECT_EQ(apply_op("reduce_max", {x}, over({0})).data<int64_t>()[0], INT64_MIN + 1);
  EXPECT_EQ(apply_op("reduce_min", {x}, over({0})).data<int64_t>()[0], INT64_MIN);
}

TEST(ReduceSum, FloatsAreAccumulatedInDouble) {
  const Tensor x = Tensor::of<float>({3}, {1e8F, 1, -1e8F});
  EXPECT_EQ(apply_op("reduce_sum", {x}, over({0}), DType::f32).at(0), 1);
}

TEST(ReduceSum, IntegersWrapAround) {
  const Tensor x = Tensor::of<int64_t>({2}, {INT64_MAX, 1});
  EXPECT_EQ(apply_op("reduce_sum", {x}, over({0})).data<int64_t>()[0], INT64_MIN);
}

TEST(ReduceMean, IntegersAreTruncated) {
  EXPECT_EQ(apply_op("reduce_mean", {Tensor::of<int64_t>({2}, {-2, -5})}, over({0})).at(0), -3);
  EXPECT_NE(refusal("reduce_mean", {integer({0})}, over({0})), "");
}

TEST(ReduceLogSumExp, DoesNotOverflow) {
  const auto of = [](std::initializer_list<double> x) {
    return apply_op("reduce_log_sum_exp", {Tensor::of<double>({2}, x)}, over({0})).at(0);
  };
  EXPECT_NEAR(of({1000, 1000}), 1000 + std::log(2), 1e-12);
  EXPECT_NEAR(of({-1000, -1000}), -1000 + std::log(2), 1e-12);
  EXPECT_EQ(of({-INFINITY, -INFINITY}), -INFINITY);
  EXPECT_EQ(of({INFINITY, 3}), INFINITY);
  EXPECT_TRUE(std::isnan(of({NAN, 3})));
  EXPECT_NE(refusal("reduce_log_sum_exp", {integer({2})}, over({0})), "");
}

TEST(ReduceLogSumExp, TheLoweringDoesNotOverflowEither) {
  Graph graph;
  Builder b(graph);
  b.output("y", op_named("reduce_log_sum_exp").lower(b, std::array{b.input("x", real({kBatch, 2}))}, over({1})));
  const Tensor x = Tensor::of<double>({4, 2}, {1000, 1000, -INFINITY, -INFINITY, INFINITY, 3, -1000, -1000});
  const Tensor y = interpret(graph, {{"x", x}}, 4)[0];
  EXPECT_NEAR(y.at(0), 1000 + std::log(2), 1e-12);
  EXPECT_EQ(y.at(1), -INFINITY);
  EXPECT_EQ(y.at(2), INFINITY);
  EXPECT_NEAR(y.at(3), -1000 + std::log(2), 1e-12);
}

TEST(ReduceProd, AGrowingAxisHasNoLowering) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 2}));
  expect_error(ErrorKind::unsupported, "grows with the batch",
               [&] { op_named("reduce_prod").lower(b, std::array{x}, over({0})); });
}

}  // namespace
}  // namespace ascribe::core
