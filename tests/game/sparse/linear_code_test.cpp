// Sets of few players, told by parities.
#include "game/sparse/linear_code.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

std::vector<uint8_t> parities_of(const LinearCode& code, const std::vector<int>& set) {
  std::vector<uint8_t> result(static_cast<size_t>(code.parities()));
  for (const int player : set) {
    for (int p = 0; p < code.parities(); ++p) result[static_cast<size_t>(p)] ^= code.counts(player, p) ? 1 : 0;
  }
  return result;
}

TEST(LinearCode, EverySetOfAtMostSoManyPlayersIsToldByItsParities) {
  for (const int64_t players : {2, 3, 7, 30, 63, 64, 1000, 5000}) {
    for (const int most : {1, 2, 5}) {
      const LinearCode code(players, most);
      for (uint64_t draw = 0; draw < 20; ++draw) {
        const std::vector<int64_t> order = Random(5).permutation(draw, players);
        const auto size = std::min<int64_t>(players, static_cast<int64_t>(draw) % (most + 1));
        std::vector<int> set(order.begin(), order.begin() + size);
        std::sort(set.begin(), set.end());
        const auto found = code.decode(parities_of(code, set));
        ASSERT_TRUE(found.has_value()) << players << " players, " << size << " members";
        EXPECT_EQ(*found, set);
      }
    }
  }
}

TEST(LinearCode, LargerSetsAreNotTakenForThemselves) {
  const LinearCode code(100, 2);
  const std::vector<int> set = {3, 20, 41, 77, 90};
  const auto found = code.decode(parities_of(code, set));
  EXPECT_TRUE(!found || found->size() <= 2);
}

}  // namespace
}  // namespace ascribe::core
