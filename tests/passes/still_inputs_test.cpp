// Hidden values that do not change although their inputs do: what RevealCancel and Deep SHAP pass back to them.
#include <gtest/gtest.h>

#include "support/ask.h"

namespace ascribe::core {
namespace {

constexpr double kFirst = 1.5, kSecond = 2, kBias = -0.5;

// s(1.5 (x0 - x1) + 2 x2 - 0.5): if x0 and x1 change alike, the first hidden value does not change at all.
Graph network(const std::string& activation) {
  Graph graph;
  Builder b(graph);
  const Value h =
      b.matmul(b.input("x", real({kBatch, 3})), b.constant(Tensor::of<double>({3, 2}, {1, 0, -1, 0, 0, 1})));
  const Value z = b.matmul(h, b.constant(Tensor::of<double>({2, 1}, {kFirst, kSecond})));
  b.output("y", b.op(activation, {b.add(z, b.constant(Tensor::of<double>({1}, {kBias})))}));
  return graph;
}

Question question_at(double gap, double last = 1) { return ask_about(Tensor::of<double>({1, 3}, {1 + gap, 1, last})); }

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
double slope_of_sigmoid(double z) { return sigmoid(z) * (1 - sigmoid(z)); }

TEST(AtZero, TheLimitHasAClosedForm) {
  const Graph graph = network("sigmoid");
  const double z_b = kBias, z = kBias + kSecond;
  const double ends = (slope_of_sigmoid(z_b) + slope_of_sigmoid(z)) / 2,
               rescale = (sigmoid(z) - sigmoid(z_b)) / kSecond;
  const double last = sigmoid(z) - sigmoid(z_b);
  // Joins nobody or the other one, each half of the time.
  const double shapley = kFirst * ends;
  expect_values(ask("deep_shap", graph, question_at(0)).values, {shapley, -shapley, last}, 1e-14);
  // In the group of the other one, which is raised, its slope; alone in the other group, that of both ends.
  const double mean = kFirst * (rescale + ends) / 2;
  expect_values(ask("deeplift_reveal_cancel", graph, question_at(0)).values, {mean, -mean, last}, 1e-14);
  // By the derivative at x.
  const double derivative = kFirst * slope_of_sigmoid(z);
  for (const char* method : {"deep_shap", "deeplift_reveal_cancel"}) {
    expect_values(ask(method, graph, question_at(0), {{"at_zero", "derivative"}}).values,
                  {derivative, -derivative, last}, 1e-14);
  }
}

// With s = relu and the reference at 1/2 below the kink: slopes 0 and 1 at the ends, and 3/4 between them.
TEST(AtZero, TheLimitHasAClosedFormForRelu) {
  const Graph graph = network("relu");
  expect_values(ask("deep_shap", graph, question_at(0)).values, {0.75, -0.75, 1.5}, 1e-14);
  expect_values(ask("deeplift_reveal_cancel", graph, question_at(0)).values, {0.9375, -0.9375, 1.5}, 1e-14);
  for (const char* method : {"deep_shap", "deeplift_reveal_cancel"}) {
    expect_values(ask(method, graph, question_at(0), {{"at_zero", "derivative"}}).values, {1.5, -1.5, 1.5}, 1e-14);
  }
}

// Slopes between points 1e-9 apart: those of smooth functions are derivatives, and change by 1e-9; those of relu are
// of two numbers that are rounded at 1e-16, so 1e-7.
TEST(AtZero, DeepShapIsContinuous) {
  for (const char* activation : {"sigmoid", "tanh", "relu", "softplus"}) {
    const Graph graph = network(activation);
    for (const Settings& settings : {Settings{}, Settings{{"exact", "1"}, {"samples", "64"}}}) {
      const auto at = [&](double gap) { return ask("deep_shap", graph, question_at(gap), settings).values; };
      for (const double gap : {1e-9, -1e-9}) {
        SCOPED_TRACE(fmt::format("{} {}", activation, gap));
        expect_values(at(gap), at(0), 1e-6);
      }
    }
    const auto jump = [&](double gap) {
      return ask("deep_shap", graph, question_at(gap), {{"at_zero", "derivative"}}).values;
    };
    EXPECT_GT(std::abs(jump(1e-9)[0] - jump(0)[0]), 0.05) << activation;
  }
}

// From either side another group counts: there is no continuous convention, and 0 lies in the middle.
TEST(AtZero, RevealCancelIsTheMeanOfBothSides) {
  for (const char* activation : {"sigmoid", "relu"}) {
    const Graph graph = network(activation);
    const auto at = [&](double gap) { return ask("deeplift_reveal_cancel", graph, question_at(gap)).values; };
    const auto above = at(1e-9), below = at(-1e-9);
    std::vector<double> mean;
    for (size_t i = 0; i < above.size(); ++i) mean.push_back((above[i] + below[i]) / 2);
    SCOPED_TRACE(activation);
    expect_values(at(0), mean, 1e-6);
    // A group that is about to be empty: the last input's change goes to 0, beside one that grew.
    const auto with = [&](double last) { return ask("deeplift_reveal_cancel", graph, question_at(0.7, last)).values; };
    for (const double gap : {1e-9, -1e-9}) {
      SCOPED_TRACE(gap);
      const auto near = with(gap), zero = with(0);
      for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(near[i], zero[i], 1e-6);
    }
  }
}

TEST(AtZero, FloatsThatChangeByRoundingOnlyAreNoDifferentFromStillOnes) {
  for (const char* activation : {"sigmoid", "relu"}) {
    const Graph graph = network(activation);
    const Method& method = method_named("deep_shap");
    const auto at = [&](double gap) {
      ExplainOptions options;
      options.real = DType::f32;
      ExplainedModel model(graph, options);
      const Question question = question_at(gap);
      return attribute(method, model, std::span(&question, 1), Parameters(method.name, method.parameters))[0].values;
    };
    for (const double gap : {2e-7, -2e-7, 1e-6}) {
      const auto near = at(gap), zero = at(0);
      // The slope between two floats next to each other is that of relu at these floats, and a derivative otherwise.
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(near[i], zero[i], 1e-3) << activation << ' ' << gap;
    }
  }
}

TEST(AtZero, NothingChangesNothing) {
  for (const char* activation : {"sigmoid", "relu", "tanh"}) {
    for (const char* method : {"deep_shap", "deeplift_reveal_cancel", "deeplift_rescale"}) {
      const Tensor x = Tensor::of<double>({1, 3}, {1, 2, 3});
      expect_values(ask(method, network(activation), ask_about(x, x)).values, {0, 0, 0}, 0);
    }
  }
}

// At a kink there is no derivative; relu's counts as 0 there, for z and for z at the reference alike.
TEST(AtZero, AtTheKinkReluCountsAsFlat) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 2}));
  const Value h = b.matmul(x, b.constant(Tensor::of<double>({2, 1}, {1, -1})));
  b.output("y", b.op("relu", {b.matmul(h, b.constant(Tensor::of<double>({1, 1}, {1})))}));
  for (const char* method : {"deep_shap", "deeplift_reveal_cancel", "deeplift_rescale"}) {
    expect_values(ask(method, graph, ask_about(Tensor::of<double>({1, 2}, {1, 1}))).values, {0, 0}, 0);
  }
}

TEST(AtZero, CompiledAndRunningMethodsAgree) {
  for (const char* activation : {"sigmoid", "relu"}) {
    for (const char* method : {"deep_shap", "deeplift_reveal_cancel"}) {
      for (const char* choice : {"limit", "derivative"}) {
        const Settings settings = {{"at_zero", choice}};
        const Graph graph = network(activation);
        expect_values(values_of(ask_compiled(method, graph, question_at(0), settings)),
                      ask(method, graph, question_at(0), settings).values, 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
