#include "game/subcubes.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "game/effect_stream.h"
#include "game/effects.h"
#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core {
namespace {

std::vector<double> random_game(int players) {
  std::vector<double> values(size_t{1} << players);
  const Random random(11, static_cast<uint64_t>(players));
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return values;
}

std::vector<Subcube> subcubes_of_game(const std::vector<double>& values, const Subcubes& cut) {
  Game game = table_game(values);
  std::vector<Subcube> result;
  for (int64_t i = 0; i < cut.count(); ++i) result.push_back(evaluate_subcube(game, cut, i));
  return result;
}

void join(const std::vector<Subcube>& subcubes, const Subcubes& cut, size_t memory, const TakeDividends& take) {
  join_subcubes(
      cut,
      [&](int64_t number, int64_t first, std::span<double> out) {
        const std::vector<double>& values = subcubes[static_cast<size_t>(number)].values;
        std::copy_n(values.begin() + first, out.size(), out.begin());
      },
      memory, take);
}

void expect_same(const std::vector<Effect>& a, const std::vector<Effect>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].support, b[i].support);
    EXPECT_EQ(a[i].value, b[i].value);
  }
}

void expect_same(const EffectSummary& a, const EffectSummary& b) {
  EXPECT_EQ(a.players, b.players);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.output, b.output);
  EXPECT_EQ(a.baseline_output, b.baseline_output);
  EXPECT_EQ(a.remainder, b.remainder);
  EXPECT_EQ(a.independent, b.independent);
  expect_same(a.strongest, b.strongest);
  expect_same(a.pairs, b.pairs);
  expect_same(a.triples, b.triples);
  ASSERT_EQ(a.orders.size(), b.orders.size());
  for (size_t i = 0; i < a.orders.size(); ++i) {
    EXPECT_EQ(a.orders[i].order, b.orders[i].order);
    EXPECT_EQ(a.orders[i].count, b.orders[i].count);
    EXPECT_EQ(a.orders[i].sum, b.orders[i].sum);
    EXPECT_EQ(a.orders[i].absolute, b.orders[i].absolute);
    EXPECT_EQ(a.orders[i].rounding, b.orders[i].rounding);
    EXPECT_EQ(a.orders[i].beyond_rounding, b.orders[i].beyond_rounding);
  }
}

struct Case {
  int players, last;
  size_t memory;
};

class SubcubesOf : public testing::TestWithParam<Case> {};

TEST_P(SubcubesOf, GiveTheSameBitsAsTheWholeTable) {
  const auto [players, last, memory] = GetParam();
  const std::vector<double> values = random_game(players);
  Game game = table_game(values);
  const Dividends whole = exact_dividends(game, size_t{1} << 30);
  const Subcubes cut{players, last};
  const std::vector<Subcube> subcubes = subcubes_of_game(values, cut);
  EXPECT_EQ(subcubes.front().first_value, values.front());
  EXPECT_EQ(subcubes.back().last_value, values.back());

  const SummaryOptions options{.strongest = 50, .pairs = 10, .triples = 6, .epsilon = 0x1p-10};
  EffectStream stream(players, subcubes.back().last_value, subcubes.front().first_value, options);
  std::vector<double> dividends(values.size(), NAN);
  join(subcubes, cut, memory, [&](uint64_t first, std::span<const double> piece) {
    std::copy(piece.begin(), piece.end(), dividends.begin() + static_cast<std::ptrdiff_t>(first));
    stream.add(first, piece);
  });
  EXPECT_EQ(dividends, whole.values);
  EffectSummary streamed = stream.summary();
  streamed.evaluations = whole.evaluations;
  expect_same(streamed, summarize(whole, options));
}

INSTANTIATE_TEST_SUITE_P(Cuts, SubcubesOf,
                         testing::Values(Case{0, 0, 1}, Case{1, 0, 1}, Case{9, 0, 1 << 20}, Case{10, 0, 1},
                                         Case{11, 1, 1}, Case{13, 1, 1 << 14}, Case{13, 2, 1 << 15},
                                         Case{13, 3, 1 << 20}, Case{16, 0, 1}, Case{16, 4, 1}, Case{16, 5, 1 << 17},
                                         Case{16, 6, 1 << 18}, Case{17, 2, 1 << 17}, Case{18, 8, 1}));

TEST(Subcubes, DependOnThePlayersAlone) {
  for (int players = 0; players <= kMostSharedPlayers; ++players) {
    const Subcubes cut = subcubes_of(players);
    EXPECT_EQ(cut.count() * cut.size(), int64_t{1} << players);
    EXPECT_LE(cut.count(), 1024);
    EXPECT_TRUE(cut.last == 0 || cut.size() >= int64_t{1} << kBlockPlayers);
  }
  EXPECT_EQ(subcubes_of(10).count(), 1);
  EXPECT_EQ(subcubes_of(13).count(), 8);
  EXPECT_EQ(subcubes_of(16).count(), 64);
  EXPECT_EQ(subcubes_of(22).count(), 64);
  EXPECT_EQ(subcubes_of(26).count(), 1024);
  EXPECT_EQ(subcubes_of(30).count(), 1024);
}

TEST(EffectStream, HasTheSameBitsForAnyThreadsAndAnyOrderOfTheBlocks) {
  constexpr int kPlayers = 15;
  const std::vector<double> values = random_game(kPlayers);
  const SupersetWeight weight{index_named("sii").superset_weight, 2};
  const auto summed = [&](int threads, bool backwards, size_t piece) {
    const ThreadCount count(threads);
    EffectStream stream(kPlayers, 1, 2, {.strongest = 30}, {weight});
    const size_t pieces = values.size() / piece;
    for (size_t i = 0; i < pieces; ++i) {
      const size_t at = (backwards ? pieces - 1 - i : i) * piece;
      stream.add(at, std::span(values).subspan(at, piece));
    }
    return std::pair(stream.summary(), stream.superset_sums(0));
  };
  const auto expected = summed(1, false, values.size());
  for (const int threads : {1, 2, 4}) {
    for (const size_t piece : {size_t{1} << 10, size_t{1} << 12}) {
      const auto other = summed(threads, true, piece);
      expect_same(other.first, expected.first);
      EXPECT_EQ(other.second, expected.second);
    }
  }
}

// The table of all sets adds in another order, so this is equal but for rounding.
TEST(EffectStream, HasTheIndicesThatAreSumsOverSupersets) {
  int found = 0;
  for (const int players : {3, 10, 13}) {
    Dividends dividends;
    dividends.players = players;
    dividends.values = random_game(players);
    for (const auto& [name, index] : IndexRegistry::instance().entries()) {
      if (index.superset_weight == nullptr) continue;
      ++found;
      const int order = std::min(3, index.most_order);
      EffectStream stream(players, 0, 0, {.strongest = 1}, {{index.superset_weight, order}});
      stream.add(0, dividends.values);
      const std::vector<double> sums = stream.superset_sums(0);
      const Effects expected = compute_index(index, dividends, order);
      ASSERT_EQ(sums.size(), expected.effects.size()) << name;
      for (size_t i = 0; i < sums.size(); ++i) {
        EXPECT_NEAR(sums[i], expected.effects[i].value, 1e-11) << name << " of " << players << " players, set " << i;
      }
    }
  }
  EXPECT_GE(found, 3 * 8);
}

TEST(EffectStream, RefusesPiecesThatAreNotWholeBlocks) {
  EffectStream stream(12, 0, 0, {});
  const std::vector<double> values(size_t{1} << 12);
  EXPECT_THROW(stream.add(512, std::span(values).first(1024)), Error);
  EXPECT_THROW(stream.add(0, std::span(values).first(512)), Error);
  EXPECT_THROW(stream.add(1024, values), Error);
}

}  // namespace
}  // namespace ascribe::core
