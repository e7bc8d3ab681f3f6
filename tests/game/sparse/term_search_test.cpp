// Fits of terms and what is searched for in their place, on rows few enough to count by hand.
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "game/sparse/terms.h"

namespace ascribe::core {
namespace {

// Numbers for all rows: those of a term, and others that depend on chance.
std::vector<double> values_of(const BitColumns& bits, const SparseTerm& term, double value, double noise) {
  std::vector<double> values;
  for (int64_t row = 0; row < bits.rows(); ++row) {
    values.push_back(noise * Random(3, 4).normal(static_cast<uint64_t>(row)));
  }
  for_bits(column_of(bits, term), 0, [&](int64_t row) { values[static_cast<size_t>(row)] += value; });
  return values;
}

SearchSettings settings_for(const BitColumns& bits, int largest_order) {
  SearchSettings settings;
  settings.prices = prices_of_terms(bits.players(), bits.rows(), largest_order, 1);
  return settings;
}

TEST(TermSearch, ExchangesAPlayerOfATerm) {
  const BitColumns bits(draw_coalitions(20, 0, 500, DrawnBy::sizes, 1, 1), 0, 500);
  for (const double noise : {0.0, 0.3}) {
    TermFit fit(bits, values_of(bits, {{2, 5, 11}}, 1.5, noise));
    fit.add({{{2, 5, 17}}});
    fit.solve();
    TermSearch search(bits);
    const std::vector<SparseTerm> rivals = search.rivals(fit, settings_for(bits, 6), true);
    EXPECT_EQ(rivals, (std::vector<SparseTerm>{{{2, 5, 11}}}));
  }
}

// The price falls where nearly everybody is in a set, so that what tells nothing would be worth it.
TEST(TermSearch, OfASetOfNearlyEverybodyEnds) {
  const BitColumns bits(Coalitions::all(12), 0, 4096);
  std::vector<int> nearly;
  for (int player = 1; player < 12; ++player) nearly.push_back(player);
  TermFit fit(bits, values_of(bits, {{0, 3}}, 1, 0.1));
  fit.add({{nearly}});
  fit.solve();
  TermSearch search(bits);
  for (const SparseTerm& rival : search.rivals(fit, settings_for(bits, 12), true)) EXPECT_LT(rival.set.size(), 12U);
}

// The normal equations hold to the last places, whether or not terms were dropped on the way.
TEST(TermFit, LeavesNothingOfItsTerms) {
  const BitColumns bits(draw_coalitions(10, 0, 700, DrawnBy::sizes, 2, 2), 0, 700);
  const std::vector<SparseTerm> true_terms = {{{1}}, {{1, 4}}, {{1, 4, 6}}, {{0, 2, 3, 5}}};
  for (const double noise : {0.0, 1e-3}) {
    std::vector<double> values = values_of(bits, {{1, 4}}, 1e4, noise);
    for_bits(bits.column(1), 0, [&](int64_t row) { values[static_cast<size_t>(row)] -= 3; });
    TermFit fit(bits, values);
    fit.add(true_terms);
    fit.prune(prices_of_terms(10, 700, 6, 1));
    EXPECT_EQ(fit.terms(), (std::vector<SparseTerm>{{}, {{1}}, {{1, 4}}}));
    for (const SparseTerm& term : fit.terms()) {
      double left = 0;
      for_bits(column_of(bits, term), 0, [&](int64_t row) { left += fit.residuals()[static_cast<size_t>(row)]; });
      EXPECT_NEAR(left, 0, 1e-8);
    }
    EXPECT_NEAR(fit.coefficients()[2], 1e4, noise == 0 ? 1e-9 : 1e-3);
  }
}

}  // namespace
}  // namespace ascribe::core
