#include "game/effect_summary.h"

#include <cmath>

#include <gtest/gtest.h>

#include "game/moebius.h"

namespace ascribe::core {
namespace {

// f(b) = 1, psi = 2, -3, 0; J(0, 1) = 5, J(0, 1, 2) = -5.
Dividends small() { return {3, {1, 2, -3, 5, 0, 0, 0, -5}, 0, 8}; }

TEST(EffectSummary, RanksByMagnitudeAndThenByOrderOfTheSets) {
  const EffectSummary summary = summarize(small(), {.strongest = 3});
  ASSERT_EQ(summary.strongest.size(), 3U);
  EXPECT_EQ(summary.strongest[0].support, (std::vector<int>{0, 1}));
  EXPECT_EQ(summary.strongest[1].support, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(summary.strongest[2].support, (std::vector<int>{1}));
  EXPECT_EQ(summary.output, 0);
  EXPECT_EQ(summary.change(), -1);
  EXPECT_EQ(summary.independent, (std::vector<double>{2, -3, 0}));
  EXPECT_EQ(summary.count, 7);
}

TEST(EffectSummary, IsTheSameForDividendsAndTheirList) {
  const EffectSummary a = summarize(small(), {}), b = summarize(as_effects(small()), {});
  ASSERT_EQ(a.strongest.size(), b.strongest.size());
  for (size_t i = 0; i < a.strongest.size(); ++i) EXPECT_EQ(a.strongest[i].support, b.strongest[i].support);
  EXPECT_EQ(a.output, b.output);
  EXPECT_EQ(a.independent, b.independent);
  ASSERT_EQ(a.orders.size(), 3U);
  EXPECT_EQ(a.orders[1].sum, b.orders[1].sum);
}

TEST(EffectSummary, CountsWhatIsBeyondRounding) {
  Dividends noisy = small();
  noisy.values[0b101] = 1e-9;  // of values about 1 in float: nothing
  const EffectSummary summary = summarize(noisy, {.epsilon = 0x1p-23});
  EXPECT_EQ(summary.orders[1].beyond_rounding, 1);
  ASSERT_EQ(summary.pairs.size(), 1U);
  EXPECT_EQ(summary.pairs[0].value, 5);
  EXPECT_EQ(summary.triples.size(), 1U);
  EXPECT_NEAR(summary.orders[1].rounding / summary.orders[0].rounding, std::sqrt(2.0), 1e-12);
}

}  // namespace
}  // namespace ascribe::core
