// Values as sums over coalitions that are fixed beforehand, and what reversed orders are good for.
#include "game/coalition_plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "derivatives/derivatives.h"
#include "derivatives/networks.h"
#include "game/effects.h"
#include "game/interaction_index.h"
#include "game/masked_model.h"
#include "passes/select_element.h"

namespace ascribe::core {
namespace {

constexpr int64_t kPlayers = 10;

struct SmoothQuestion {
  Graph f = select_element(sigmoid_network(kPlayers, 8, 1.5), 0, 0);
  Tensor x = random_tensor({1, kPlayers}, 3), b = random_tensor({1, kPlayers}, 4);

  Game game() const {
    MaskedModel masked;
    masked.graph = f;
    masked.point = {x};
    masked.baselines = b;
    for (int32_t p = 0; p < kPlayers; ++p) {
      masked.players.owner.push_back(p);
      masked.players.names.emplace_back("p");
    }
    masked.options.real = DType::f64;
    return masked_model_game(masked);
  }
};

// v2(S) = f(b) + g D_S + D_S H D_S / 2 at b, and its Shapley values: D_p (g + H D / 2)_p.
struct TaylorGame {
  std::vector<double> slopes, curvature, change, shapley;

  explicit TaylorGame(const SmoothQuestion& q) {
    Derivatives derivatives(q.f, {});
    const Tensor gradient = derivatives.gradient(std::array{q.b}), hessian = derivatives.hessian(std::array{q.b});
    slopes = values_of(gradient);
    curvature = values_of(hessian);
    for (int64_t p = 0; p < kPlayers; ++p) change.push_back(q.x.at(p) - q.b.at(p));
    for (int64_t p = 0; p < kPlayers; ++p) {
      double bent = 0;
      for (int64_t k = 0; k < kPlayers; ++k) bent += curvature[p * kPlayers + k] * change[k];
      shapley.push_back(change[p] * (slopes[p] + bent / 2));
    }
  }

  std::vector<double> values(const Coalitions& sets) const {
    std::vector<double> result;
    for (int64_t s = 0; s < sets.size(); ++s) {
      double sum = 0;
      for (int64_t p = 0; p < kPlayers; ++p) {
        if (!sets.has(s, p)) continue;
        sum += slopes[p] * change[p];
        for (int64_t k = 0; k < kPlayers; ++k) {
          if (sets.has(s, k)) sum += curvature[p * kPlayers + k] * change[p] * change[k] / 2;
        }
      }
      result.push_back(sum);
    }
    return result;
  }
};

// Random orders without their reverses.
CoalitionPlan single_orders(int64_t orders, uint64_t seed) {
  CoalitionPlan plan = paired_orders(kPlayers, orders, seed);
  const auto per_order = static_cast<size_t>(2 * kPlayers);
  std::vector<CoalitionPlan::Term> kept;
  for (size_t i = 0; i < plan.terms.size(); ++i) {
    if (i / per_order % 2 == 0) kept.push_back({plan.terms[i].value, plan.terms[i].set, 2 * plan.terms[i].weight});
  }
  plan.terms = kept;
  return plan;
}

double squared_error(const std::vector<double>& got, const std::vector<double>& expected) {
  double sum = 0;
  for (size_t i = 0; i < got.size(); ++i) sum += (got[i] - expected[i]) * (got[i] - expected[i]);
  return sum;
}

TEST(CoalitionPlan, OfAllCoalitionsIsTheShapleyIndex) {
  Game game = SmoothQuestion().game();
  const CoalitionPlan plan = all_coalitions(kPlayers);
  EXPECT_EQ(plan.sets.size(), 1 << kPlayers);
  const std::vector<double> values = plan.apply(game.values(plan.sets));
  const Effects index = compute_index(index_named("shapley"), exact_dividends(game, size_t{1} << 30), 1);
  for (size_t p = 0; p < values.size(); ++p) EXPECT_NEAR(values[p], index.effects[p].value, 1e-13);
}

TEST(CoalitionPlan, BeginsWithEveryoneAndItsMatrixIsItsTerms) {
  for (const CoalitionPlan& plan : {leave_one_out(70), all_coalitions(4), paired_orders(70, 3, 1)}) {
    const std::vector<uint64_t> all = everyone(plan.sets.players());
    EXPECT_TRUE(std::equal(all.begin(), all.end(), plan.sets.words(0).begin()));
    std::vector<double> v;
    for (int64_t s = 0; s < plan.sets.size(); ++s) v.push_back(std::sin(static_cast<double>(s)));
    const std::vector<double> matrix = plan.matrix(), values = plan.apply(v);
    for (int64_t k = 0; k < plan.values; ++k) {
      double sum = 0;
      for (int64_t s = 0; s < plan.sets.size(); ++s) sum += matrix[s * plan.values + k] * v[s];
      EXPECT_NEAR(values[k], sum, 1e-12);
    }
  }
}

// Why there is no control variate: one pair of orders has no error on the second-order Taylor game, so subtracting the
// game's sampled values and adding its exact ones changes nothing. Without reverses it would.
TEST(CoalitionPlan, APairOfOrdersIsExactOnTheSecondOrderTaylorGame) {
  const SmoothQuestion q;
  const TaylorGame taylor(q);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const CoalitionPlan pair = paired_orders(kPlayers, 1, seed), single = single_orders(1, seed);
    EXPECT_LE(squared_error(pair.apply(taylor.values(pair.sets)), taylor.shapley), 1e-24);
    EXPECT_GE(squared_error(single.apply(taylor.values(single.sets)), taylor.shapley), 1e-4);
  }
}

// With as many evaluations, over 200 seeds, on a sigmoid network: reverses lower the error, and neither is biased.
TEST(CoalitionPlan, ReversedOrdersLowerTheErrorAndDoNotBias) {
  const SmoothQuestion q;
  Game game = q.game();
  const CoalitionPlan all = all_coalitions(kPlayers);
  const std::vector<double> truth = all.apply(game.values(all.sets));
  double paired = 0, single = 0;
  std::vector<double> mean(kPlayers), square(kPlayers);
  constexpr int kSeeds = 200;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const CoalitionPlan pairs = paired_orders(kPlayers, 4, static_cast<uint64_t>(seed));
    const CoalitionPlan orders = single_orders(8, static_cast<uint64_t>(seed));
    const std::vector<double> values = pairs.apply(game.values(pairs.sets));
    paired += squared_error(values, truth);
    single += squared_error(orders.apply(game.values(orders.sets)), truth);
    for (size_t p = 0; p < kPlayers; ++p) {
      mean[p] += values[p] / kSeeds;
      square[p] += (values[p] - truth[p]) * (values[p] - truth[p]) / kSeeds;
    }
  }
  EXPECT_LE(paired, single / 2);
  for (size_t p = 0; p < kPlayers; ++p) {
    EXPECT_NEAR(mean[p], truth[p], 4 * std::sqrt(square[p] / kSeeds)) << "four standard errors of a mean over seeds";
  }
}

}  // namespace
}  // namespace ascribe::core
