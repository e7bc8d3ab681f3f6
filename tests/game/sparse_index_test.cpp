// Indices of recovered effects: those of the whole table of dividends, and errors that follow from their covariance.
#include "game/sparse_index.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

constexpr int kPlayers = 6;

// Some sets of each size, with values and a covariance that is not diagonal.
SparseEstimate some_effects() {
  SparseEstimate estimate;
  estimate.estimator = "test";
  estimate.effects.players = kPlayers;
  const Random random(7);
  const std::vector<std::vector<int>> sets = {{0},    {2},       {5},          {0, 1},
                                              {1, 4}, {2, 3, 5}, {0, 1, 2, 4}, {0, 1, 2, 3, 4, 5}};
  double sum = 0;
  for (size_t i = 0; i < sets.size(); ++i) {
    estimate.effects.effects.push_back({sets[i], {}, random.normal(i)});
    estimate.standard_errors.push_back(0.1 * static_cast<double>(i + 1));
    sum += estimate.effects.effects.back().value;
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    for (size_t j = 0; j < sets.size(); ++j) {
      const double correlation = i == j ? 1 : 0.5 / static_cast<double>(1 + std::max(i, j));
      estimate.covariance.push_back(correlation * estimate.standard_errors[i] * estimate.standard_errors[j]);
    }
  }
  estimate.effects.baseline_output = 2;
  estimate.effects.output = 2 + sum;
  return estimate;
}

Dividends table_of(const SparseEstimate& estimate) {
  Dividends table;
  table.players = kPlayers;
  table.values.assign(size_t{1} << kPlayers, 0.0);
  table.values[0] = estimate.effects.baseline_output;
  for (const Effect& effect : estimate.effects.effects) {
    size_t set = 0;
    for (const int player : effect.support) set |= size_t{1} << player;
    table.values[set] = effect.value;
  }
  return table;
}

using Values = std::map<std::vector<int>, double>;

Values values_of(const Effects& effects) {
  Values values;
  for (const Effect& effect : effects.effects) values[effect.support] = effect.value;
  return values;
}

TEST(SparseIndex, IsTheIndexOfTheWholeTable) {
  const SparseEstimate estimate = some_effects();
  const Dividends table = table_of(estimate);
  int checked = 0;
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    if (index.joint) {
      expect_error(ErrorKind::argument, "takes sets of players as one",
                   [&, &one = index] { index_of_sparse(one, estimate, 1); });
      continue;
    }
    for (int order = index.least_order; order <= std::min(4, index.most_order); ++order) {
      SCOPED_TRACE(fmt::format("{} of order {}", name, order));
      const Values wanted = values_of(compute_index(index, table, order));
      const Values found = values_of(index_of_sparse(index, estimate, order).effects);
      for (const auto& [set, value] : wanted) {
        EXPECT_NEAR(found.contains(set) ? found.at(set) : 0, value, 1e-10) << fmt::format("set of {}", set.size());
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

// The Shapley value of player 0: 1, 1/2, 1/4 and 1/6 of the effects that have it.
TEST(SparseIndex, CarriesTheErrorOfTheSum) {
  const SparseEstimate estimate = some_effects();
  const SparseIndex shapley = index_of_sparse(index_named("shapley"), estimate, 1);
  std::vector<double> weights(estimate.effects.effects.size(), 0.0);
  weights[0] = 1, weights[3] = 1.0 / 2, weights[6] = 1.0 / 4, weights[7] = 1.0 / 6;
  ASSERT_EQ(shapley.effects.effects[0].support, std::vector<int>{0});
  EXPECT_NEAR(shapley.standard_errors[0], estimate.error_of(weights), 1e-14);
  EXPECT_NEAR(shapley.effects.remainder, 0, 1e-12) << "Shapley values share out everything";
}

}  // namespace
}  // namespace ascribe::core
