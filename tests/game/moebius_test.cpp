#include "game/moebius.h"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

std::vector<double> random_values(int players) {
  std::vector<double> values(size_t{1} << players);
  const Random random(29, static_cast<uint64_t>(players));
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return values;
}

TEST(Moebius, IsTheAlternatingSumOverSubsets) {
  for (int players = 0; players <= 14; ++players) {
    const std::vector<double> values = random_values(players);
    std::vector<double> dividends = values;
    moebius_transform(dividends);
    for (uint64_t set = 0; set < values.size(); ++set) {
      double sum = values[0] * (std::popcount(set) % 2 == 0 ? 1 : -1);
      for (uint64_t part = set; part != 0; part = (part - 1) & set) {
        sum += (std::popcount(set ^ part) % 2 == 0 ? 1 : -1) * values[part];
      }
      ASSERT_NEAR(dividends[set], sum, 1e-10) << "set " << set << " of " << players << " players";
    }
  }
}

TEST(Moebius, IsUndoneByTheZetaTransform) {
  for (int players = 1; players <= 18; ++players) {
    const std::vector<double> values = random_values(players);
    std::vector<double> there_and_back = values, back_and_there = values;
    moebius_transform(there_and_back);
    zeta_transform(there_and_back);
    zeta_transform(back_and_there);
    moebius_transform(back_and_there);
    for (size_t set = 0; set < values.size(); ++set) {
      ASSERT_NEAR(there_and_back[set], values[set], 1e-9) << "set " << set << " of " << players << " players";
      ASSERT_NEAR(back_and_there[set], values[set], 1e-9) << "set " << set << " of " << players << " players";
    }
  }
}

TEST(Moebius, RefusesATableThatIsNoGame) {
  std::vector<double> three(3);
  expect_error(ErrorKind::internal, "2^m", [&] { moebius_transform(three); });
}

}  // namespace
}  // namespace ascribe::core
