// `exact` is a promise about the residual: within the tolerance of the change, for every row and precision. Where the
// change is nothing but rounding, within the tolerance of the sum of |a_i|.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// Eight columns to the probabilities of two classes, which saturate: most rows change them by next to nothing.
Graph table_network(double steepness, double certainty = 0) {
  Graph graph;
  SmallNetwork net(graph);
  const Value x = net.b.input("x", {Kind::real, {kBatch, 8}});
  const Value hidden = net.b.op("sigmoid", {net.b.mul(net.dense(x, 8, 16), steepness)});
  net.b.output("y", net.b.op("sigmoid", {net.b.add(net.b.mul(net.dense(hidden, 16, 2), steepness), certainty)}));
  return graph;
}

// f = w . x, or a constant.
Graph linear(const std::vector<double>& weights, double constant) {
  Graph graph;
  Builder b(graph);
  const auto size = static_cast<int64_t>(weights.size());
  const Value x = b.input("x", {Kind::real, {kBatch, size}});
  b.output("y", b.add(b.matmul(x, b.constant(Tensor::of<double>({size, 1}, weights))), constant));
  return graph;
}

std::vector<Attribution> answers(const std::string& name, const Graph& graph, std::span<const Question> questions,
                                 DType real, const Settings& settings = {}) {
  ExplainedModel model(graph, {.real = real});
  const Method& method = method_named(name);
  return attribute(method, model, questions, Parameters(name, method.parameters, settings), 0);
}

double sum_of_magnitudes(const Attribution& a) {
  double sum = 0;
  for (const double value : a.values) sum += std::abs(value);
  return sum;
}

// Relative to the change; or to what cancels in it if it is rounding of that.
double relative_residual(const Attribution& a, DType real) {
  const double epsilon = real == DType::f64 ? 0x1p-52 : 0x1p-23, change = std::abs(a.output - a.baseline_output);
  const double scale = change > 8 * epsilon * sum_of_magnitudes(a) ? change : sum_of_magnitudes(a);
  return a.residual == 0 ? 0 : std::abs(a.residual) / scale;
}

TEST(Exactness, MeansThatTheResidualIsWithinTheToleranceOfTheChange) {
  for (const double steepness : {1.0, 4.0, 12.0}) {
    const Graph graph = table_network(steepness, steepness > 4 ? 10 : 0);
    std::vector<Question> questions;
    for (uint64_t row = 0; row < 150; ++row) {
      questions.push_back(ask_about(random_tensor({1, 8}, 100 + row, 2), {}, static_cast<int64_t>(row % 2)));
    }
    for (const DType real : {DType::f32, DType::f64}) {
      int exact = 0;
      for (const Attribution& a : answers("integrated_gradients", graph, questions, real)) {
        exact += a.exact ? 1 : 0;
        EXPECT_EQ(a.notes.empty(), a.exact);
        if (a.exact) {
          EXPECT_LE(relative_residual(a, real), real == DType::f64 ? 1e-9 : 1e-4) << a.output - a.baseline_output;
        }
      }
      // Saturated in float, a change is a few roundings of f; otherwise most rows must be done.
      EXPECT_GT(exact, real == DType::f64 || steepness <= 4 ? 100 : 2) << steepness;
    }
  }
}

TEST(Exactness, OfSeveralBaselinesIsThatOfTheirMean) {
  const Graph graph = table_network(4);
  std::vector<Question> questions;
  for (uint64_t row = 0; row < 60; ++row) {
    questions.push_back(ask_about(random_tensor({1, 8}, 100 + row, 2), random_tensor({6, 8}, 500 + row, 2)));
  }
  for (const std::string name : {"integrated_gradients", "expected_gradients"}) {
    int exact = 0;
    for (const Attribution& a : answers(name, graph, questions, DType::f32)) {
      exact += a.exact ? 1 : 0;
      if (a.exact) {
        EXPECT_LE(relative_residual(a, DType::f32), 1e-4) << name;
      }
    }
    EXPECT_GT(exact, 20) << name;
  }
}

TEST(Exactness, HoldsForTheToleranceThatWasAskedFor) {
  std::vector<Question> questions;
  for (uint64_t row = 0; row < 40; ++row) questions.push_back(ask_about(random_tensor({1, 8}, 100 + row, 2)));
  for (const std::string tolerance : {"1e-1", "1e-3", "1e-6", "1e-15"}) {
    for (const Attribution& a :
         answers("integrated_gradients", table_network(4), questions, DType::f32, {{"tolerance", tolerance}})) {
      if (a.exact) {
        EXPECT_LE(relative_residual(a, DType::f32), std::stod(tolerance));
      }
    }
  }
}

TEST(Exactness, AChangeThatFloatCannotResolveIsNotCalledExactAndCostsLittle) {
  std::vector<Question> questions;
  for (uint64_t row = 0; row < 150; ++row) questions.push_back(ask_about(random_tensor({1, 8}, 100 + row, 2)));
  int unresolved = 0;
  for (const Attribution& a : answers("integrated_gradients", table_network(1, 10), questions, DType::f32)) {
    if (a.exact || a.notes[0].find("which float cannot resolve") == std::string::npos) continue;
    ++unresolved;
    EXPECT_NE(a.notes[0].find("`precision` double can"), std::string::npos) << a.notes[0];
    EXPECT_LT(a.evaluations, 2 * 500) << "halving cannot help against rounding";
  }
  EXPECT_GT(unresolved, 10);
}

TEST(Exactness, WhereNothingChangesThereIsNothingToMiss) {
  for (const DType real : {DType::f32, DType::f64}) {
    const Tensor x = random_tensor({1, 3}, 5);
    // A constant; x = b; and a change of 0 in which 1/3 and 0.7 cancel, up to rounding.
    for (const auto& [graph, question] :
         {std::pair(linear({0, 0, 0}, 2), ask_about(x)), std::pair(linear({1, 2, 3}, 1), ask_about(x, x)),
          std::pair(linear({0.7, -0.7, 1.0 / 3}, 0), ask_about(Tensor::of<double>({1, 3}, {0.1, 0.1, 0})))}) {
      const Attribution a = answers("integrated_gradients", graph, std::span(&question, 1), real)[0];
      EXPECT_TRUE(a.exact) << (a.notes.empty() ? "" : a.notes[0]);
      EXPECT_NEAR(a.residual, 0, 1e-8);
      EXPECT_LT(a.evaluations, 30);
    }
  }
}

TEST(Exactness, TheNoteSpeaksOfKinksOnlyWhereThereAreSome) {
  const auto note = [](const std::string& activation) {
    const Question question = ask_about(random_tensor({1, 1, 4, 4}, 3));
    return answers("integrated_gradients", small_mlp(activation), std::span(&question, 1), DType::f64,
                   {{"steps", "2"}})[0]
        .notes.at(0);
  };
  EXPECT_NE(note("relu").find("networks with kinks"), std::string::npos);
  EXPECT_EQ(note("tanh").find("kinks"), std::string::npos) << note("tanh");
}

}  // namespace
}  // namespace ascribe::core
