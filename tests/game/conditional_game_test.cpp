// Absent players that depend on the others: closed forms for linear functions, exact conditioning on equal rows, and
// what is refused.
#include "game/conditional_game.h"

#include <cmath>

#include <gtest/gtest.h>

#include "game/effects.h"
#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int64_t kRows = 200;

Players each_of(int64_t elements) {
  Players players;
  for (int64_t i = 0; i < elements; ++i) {
    players.owner.push_back(static_cast<int32_t>(i));
    players.names.push_back(fmt::format("p{}", i));
  }
  return players;
}

// Three columns, the second a mixture of the first and noise, the third by itself.
Tensor correlated_rows() {
  const Tensor noise = random_tensor({kRows, 3}, 5);
  Tensor rows(DType::f64, {kRows, 3});
  for (int64_t r = 0; r < kRows; ++r) {
    const double a = noise.at(3 * r), b = noise.at(3 * r + 1), c = noise.at(3 * r + 2);
    rows.mutable_data<double>()[3 * r] = 1 + 2 * a;
    rows.mutable_data<double>()[3 * r + 1] = -1 + 1.5 * a + 0.5 * b;
    rows.mutable_data<double>()[3 * r + 2] = 3 * c;
  }
  return rows;
}

const std::vector<double> kSlopes = {2, -3, 0.5}, kPoint = {2.5, 0.25, -1};

std::vector<double> linear(const Tensor& rows, const Progress&) {
  std::vector<double> values;
  const Tensor wide = rows.cast(DType::f64);
  for (int64_t r = 0; r < wide.shape()[0]; ++r) {
    double sum = 4;
    for (int64_t i = 0; i < 3; ++i) sum += kSlopes[i] * wide.at(3 * r + i);
    values.push_back(sum);
  }
  return values;
}

MaskedInput input_of(const Tensor& rows) {
  return {Tensor::of<double>({1, 3}, kPoint), rows, each_of(3), {3}, DType::f64};
}

double mean_of(const Tensor& rows, int64_t i) {
  double sum = 0;
  for (int64_t r = 0; r < kRows; ++r) sum += rows.at(3 * r + i);
  return sum / kRows;
}

double covariance_of(const Tensor& rows, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t r = 0; r < kRows; ++r)
    sum += (rows.at(3 * r + i) - mean_of(rows, i)) * (rows.at(3 * r + j) - mean_of(rows, j));
  return sum / (kRows - 1);
}

// E[X_j | X_S = x_S] of a Gaussian with the rows' mean and covariance, by the formulas for one and two known columns.
double expected_of(const Tensor& rows, int64_t j, const std::vector<int64_t>& known) {
  const auto c = [&](int64_t p, int64_t q) { return covariance_of(rows, p, q); };
  const auto d = [&](int64_t p) { return kPoint[p] - mean_of(rows, p); };
  if (known.empty()) return mean_of(rows, j);
  if (known.size() == 1) return mean_of(rows, j) + c(j, known[0]) / c(known[0], known[0]) * d(known[0]);
  const int64_t p = known[0], q = known[1];
  const double determinant = c(p, p) * c(q, q) - c(p, q) * c(p, q);
  const double of_p = (c(j, p) * c(q, q) - c(j, q) * c(p, q)) / determinant;
  const double of_q = (c(j, q) * c(p, p) - c(j, p) * c(p, q)) / determinant;
  return mean_of(rows, j) + of_p * d(p) + of_q * d(q);
}

// Aas, Jullum, Loland: for a linear f, v(S) is f at x_S and the conditional means of the others.
TEST(ConditionalGame, OfALinearFunctionIsItsValueAtTheConditionalMean) {
  const Tensor rows = correlated_rows();
  Game game = conditional_game(input_of(rows), absence_named("conditional"), linear, nullptr);
  const std::vector<double> values = game.all_values();
  for (uint64_t set = 0; set < 8; ++set) {
    std::vector<int64_t> known;
    for (int64_t i = 0; i < 3; ++i) {
      if ((set >> i & 1) != 0) known.push_back(i);
    }
    double value = 4;
    for (int64_t j = 0; j < 3; ++j) {
      value += kSlopes[j] * ((set >> j & 1) != 0 ? kPoint[j] : expected_of(rows, j, known));
    }
    // The ridge that keeps the matrix regular is 1e-8 of the variances.
    EXPECT_NEAR(values[set], value, 1e-6) << "set " << set;
  }
}

// Without a dependence there is nothing to learn from the others: marginal and conditional agree in the mean, and a
// linear f has no interactions under either; with it, conditioning makes them.
TEST(ConditionalGame, MakesInteractionsOfALinearFunctionThatMarginalAbsenceDoesNotHave) {
  const Tensor rows = correlated_rows();
  Game marginal = masked_input_game(input_of(rows), linear);
  Game conditional = conditional_game(input_of(rows), absence_named("conditional"), linear, nullptr);
  const Dividends apart = exact_dividends(marginal, size_t{1} << 20);
  const Dividends together = exact_dividends(conditional, size_t{1} << 20);
  EXPECT_NEAR(apart.values[3], 0, 1e-9);
  EXPECT_GT(std::abs(together.values[3]), 0.1) << "the first two columns depend on each other";
  EXPECT_NEAR(apart.values[0], together.values[0], 1e-9) << "nobody tells anything";
  double sum_apart = 0, sum_together = 0;
  for (size_t s = 0; s < 8; ++s) sum_apart += apart.values[s], sum_together += together.values[s];
  EXPECT_NEAR(sum_apart, sum_together, 1e-9) << "everybody is x";
}

// A table of codes: the rows with equal values, and no others.
Tensor coded_rows() {
  std::vector<double> values;
  for (int64_t r = 0; r < 24; ++r) {
    values.push_back(static_cast<double>(r % 2));
    values.push_back(static_cast<double>(r % 3));
    values.push_back(static_cast<double>(r / 2));
  }
  return Tensor::of<double>({24, 3}, values);
}

TEST(ConditionalGame, OfEqualRowsIsTheMeanOverThem) {
  const Tensor rows = coded_rows();
  MaskedInput input{Tensor::of<double>({1, 3}, {1, 2, 5}), rows, each_of(3), {3}, DType::f64};
  const auto use = std::make_shared<ConditionalUse>();
  Game game = conditional_game(input, absence_named("conditional:equal"), linear, use);
  for (const uint64_t set : {uint64_t{1}, uint64_t{2}, uint64_t{3}}) {
    double sum = 0;
    int count = 0;
    for (int64_t r = 0; r < 24; ++r) {
      if ((set & 1) != 0 && rows.at(3 * r) != 1) continue;
      if ((set & 2) != 0 && rows.at(3 * r + 1) != 2) continue;
      sum += 4 + 2 * rows.at(3 * r) - 3 * rows.at(3 * r + 1) + 0.5 * rows.at(3 * r + 2);
      ++count;
    }
    Coalitions one(3);
    one.add(set);
    EXPECT_NEAR(game.values(one)[0], sum / count, 1e-12) << "set " << set;
  }
  EXPECT_EQ(use->coalitions, 3);
  EXPECT_EQ(use->least, 4) << "of 24 rows 4 have both values";
  EXPECT_NE(to_words(*use, 24).find("what so few say is rough"), std::string::npos);
}

TEST(ConditionalGame, AWideKernelIsTheMarginalMeanAndANarrowOneTheNearestRows) {
  const Tensor rows = coded_rows();
  const MaskedInput input{Tensor::of<double>({1, 3}, {1, 2, 5}), rows, each_of(3), {3}, DType::f64};
  Game wide = conditional_game(input, absence_named("conditional:kernel:1000"), linear, nullptr);
  Game narrow = conditional_game(input, absence_named("conditional:kernel:0.001"), linear, nullptr);
  Game marginal = masked_input_game(input, linear);
  Game equal = conditional_game(input, absence_named("conditional:equal"), linear, nullptr);
  const auto of = [](Game& game) { return game.all_values(); };
  const std::vector<double> w = of(wide), m = of(marginal), n = of(narrow), e = of(equal);
  for (size_t s = 0; s < 8; ++s) {
    EXPECT_NEAR(w[s], m[s], 1e-5);
    EXPECT_NEAR(n[s], e[s], 1e-12);
  }
  EXPECT_GT(std::abs(m[4] - e[4]), 0.1) << "the two differ here";
}

TEST(ConditionalGame, RefusesWhatItCannotLearnFrom) {
  const Tensor few = random_tensor({9, 3}, 1);
  expect_error(ErrorKind::argument, "background rows; got 9",
               [&] { conditional_game(input_of(few), absence_named("conditional"), linear, nullptr); });
  MaskedInput wide{random_tensor({1, 40}, 1), random_tensor({50, 40}, 2), each_of(40), {40}, DType::f64};
  expect_error(ErrorKind::argument, "needs at least 80 background rows",
               [&] { conditional_game(wide, absence_named("conditional"), linear, nullptr); });
  expect_error(ErrorKind::argument, "expected one of baseline, marginal, conditional",
               [] { absence_named("sometimes"); });
  expect_error(ErrorKind::argument, "got a width of '-1'", [] { absence_named("conditional:kernel:-1"); });
}

// A column that others determine, and one that never changes, are no reason to give up.
TEST(ConditionalGame, AcceptsColumnsThatDependOnOthersOrNeverChange) {
  Tensor rows = correlated_rows();
  for (int64_t r = 0; r < kRows; ++r) {
    rows.mutable_data<double>()[3 * r + 1] = 2 * rows.at(3 * r);
    rows.mutable_data<double>()[3 * r + 2] = 7;
  }
  Game game = conditional_game(input_of(rows), absence_named("conditional"), linear, nullptr);
  Coalitions first(3);
  first.add(uint64_t{1});
  EXPECT_NEAR(game.values(first)[0], 4 + 2 * 2.5 - 3 * 5 + 0.5 * 7, 1e-5);
}

}  // namespace
}  // namespace ascribe::core
