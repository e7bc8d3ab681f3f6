#include <cmath>

#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(LSTM, TwoStepsFollowTheDefinition) {
  // One row, one input, one hidden unit; gates in the order i, o, f, c.
  NodeCase lstm("LSTM", 14);
  lstm.input(reals_of({2, 1, 1}, {1.0, -2.0}))
      .constant(reals_of({1, 4, 1}, {0.5, -0.25, 0.75, 1.0}))
      .constant(reals_of({1, 4, 1}, {0.1, 0.2, -0.3, 0.4}))
      .constant(reals_of({1, 8}, {0.1, 0.2, 0.3, 0.4, 0.01, 0.02, 0.03, 0.04}))
      .set("hidden_size", 1);
  double h = 0, c = 0;
  std::vector<double> expected;
  for (const double x : {1.0, -2.0}) {
    const double i = sigmoid(0.5 * x + 0.1 * h + 0.11), o = sigmoid(-0.25 * x + 0.2 * h + 0.22);
    const double f = sigmoid(0.75 * x - 0.3 * h + 0.33), g = std::tanh(x + 0.4 * h + 0.44);
    c = f * c + i * g;
    h = o * std::tanh(c);
    expected.push_back(h);
  }
  const auto outputs = lstm.run(3);
  expect_values(outputs[0], {2, 1, 1, 1}, expected, 1e-12);
  expect_values(outputs[1], {1, 1, 1}, {h}, 1e-12);
  expect_values(outputs[2], {1, 1, 1}, {c}, 1e-12);
}

TEST(LSTM, RowsOfTheBatchAreTheFirstAxisInLayoutOne) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const auto run = [&](Shape shape, const std::vector<double>& values, int layout) {
    NodeCase lstm("LSTM", 14);
    lstm.input(reals_of(std::move(shape), values))
        .constant(reals_of({1, 4, 1}, {0.1, -0.2, 0.3, 0.4}))
        .constant(reals_of({1, 4, 1}, {0.1, 0.2, -0.3, 0.4}))
        .set("hidden_size", 1)
        .set("layout", layout);
    return lstm.run(1)[0];
  };
  const Tensor by_time = run({3, 2, 1}, {1, 4, 2, 5, 3, 6}, 0);  // [S, 1, B, 1]
  const Tensor by_row = run({2, 3, 1}, x, 1);                    // [B, S, 1, 1]
  ASSERT_EQ(by_row.shape(), (Shape{2, 3, 1, 1}));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t step = 0; step < 3; ++step) EXPECT_EQ(by_row.at(row * 3 + step), by_time.at(step * 2 + row));
  }
}

TEST(LSTM, AHiddenSizeThatContradictsTheWeightsIsRefused) {
  NodeCase lstm("LSTM", 14);
  lstm.input(reals_of({1, 1, 1}, {1.0}))
      .constant(reals_of({1, 4, 1}, {0.1, -0.2, 0.3, 0.4}))
      .constant(reals_of({1, 4, 1}, {0.1, 0.2, -0.3, 0.4}))
      .set("hidden_size", 2);
  EXPECT_NE(lstm.refusal().find("hidden_size is 2; expected 1"), std::string::npos) << lstm.refusal();
}

TEST(RNN, ReverseBeginsAtTheEnd) {
  NodeCase rnn("RNN", 14);
  rnn.input(reals_of({2, 1, 1}, {0.5, 1.0}))
      .constant(reals_of({1, 1, 1}, {1.0}))
      .constant(reals_of({1, 1, 1}, {2.0}))
      .set("hidden_size", 1)
      .set("direction", "reverse")
      .set("activations", std::vector<std::string>{"Affine"})
      .set("activation_alpha", std::vector<double>{0.5})
      .set("activation_beta", std::vector<double>{1.0});
  // h1 = 0.5 * 1 + 1 = 1.5; h0 = 0.5 * (0.5 + 2 * 1.5) + 1 = 2.75
  expect_values(rnn.run(1)[0], {2, 1, 1, 1}, {2.75, 1.5}, 1e-12);
}

TEST(RNN, CapitalsInTheNameOfAnActivationDoNotCount) {
  for (const char* name : {"Sigmoid", "sigmoid", "SIGMOID"}) {
    NodeCase rnn("RNN", 14);
    rnn.input(reals_of({1, 1, 1}, {0.5}))
        .constant(reals_of({1, 1, 1}, {1.0}))
        .constant(reals_of({1, 1, 1}, {2.0}))
        .set("hidden_size", 1)
        .set("activations", std::vector<std::string>{name});
    expect_values(rnn.run(1)[0], {1, 1, 1, 1}, {sigmoid(0.5)}, 1e-12);
  }
}

TEST(RNN, ShortRowsKeepTheirStateAndGiveZeros) {
  NodeCase rnn("RNN", 14);
  rnn.input(reals_of({2, 2, 1}, {1, 1, 1, 1}))
      .constant(reals_of({1, 1, 1}, {1.0}))
      .constant(reals_of({1, 1, 1}, {1.0}))
      .skip()
      .constant(integers_of({1, 2}))
      .set("hidden_size", 1)
      .set("activations", std::vector<std::string>{"Relu"});
  const auto outputs = rnn.run(2);
  expect_values(outputs[0], {2, 1, 2, 1}, {1, 1, 0, 2}, 1e-12);
  expect_values(outputs[1], {1, 2, 1}, {1, 2}, 1e-12);
}

TEST(GRU, ResetBeforeAndAfterTheProductDiffer) {
  const auto run = [](int linear_before_reset) {
    NodeCase gru("GRU", 14);
    gru.input(reals_of({1, 1, 1}, {1.0}))
        .constant(reals_of({1, 3, 1}, {0.1, 0.2, 0.3}))
        .constant(reals_of({1, 3, 1}, {0.4, 0.5, 0.6}))
        .constant(reals_of({1, 6}, {0, 0, 0.1, 0, 0, 0.2}))
        .skip()
        .constant(reals_of({1, 1, 1}, {0.5}))
        .set("hidden_size", 1)
        .set("linear_before_reset", linear_before_reset);
    return gru.run(1)[0].at(0);
  };
  const double z = sigmoid(0.1 + 0.4 * 0.5), r = sigmoid(0.2 + 0.5 * 0.5);
  const double early = std::tanh(0.3 + r * 0.5 * 0.6 + 0.3), late = std::tanh(0.3 + 0.1 + r * (0.5 * 0.6 + 0.2));
  EXPECT_NEAR(run(0), (1 - z) * early + z * 0.5, 1e-12);
  EXPECT_NEAR(run(1), (1 - z) * late + z * 0.5, 1e-12);
}

TEST(LSTM, TooManyStepsAreRefused) {
  NodeCase lstm("LSTM", 14);
  lstm.input(Tensor(DType::f64, {5000, 1, 1}))
      .constant(Tensor(DType::f64, {1, 4, 1}))
      .constant(Tensor(DType::f64, {1, 4, 1}));
  EXPECT_NE(lstm.refusal().find("5000 steps"), std::string::npos) << lstm.refusal();
}

}  // namespace
}  // namespace ascribe::core
