// Games of masked models: what is evaluated, counted and remembered.
#include "game/game.h"

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "game/masked_model.h"
#include "passes/select_element.h"
#include "support/errors.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Players pairs_of_six() {
  Players players;
  players.owner = {0, 0, 1, -1, 2, 2};  // element 3 belongs to nobody
  players.names = {"a", "b", "c"};
  return players;
}

MaskedModel question(DType real = DType::f64) {
  MaskedModel q;
  q.graph = select_element(sigmoid_network(6, 5), 0, 1);
  q.point = {random_tensor({1, 6}, 1)};
  q.baselines = random_tensor({2, 6}, 2);
  q.players = pairs_of_six();
  q.options.real = real;
  return q;
}

// v(S) by hand: one row, one baseline at a time, through the slow interpreter.
double slow_value(const MaskedModel& q, uint64_t set) {
  double sum = 0;
  for (int64_t b = 0; b < 2; ++b) {
    Tensor x = q.point[0];
    for (int64_t i = 0; i < 6; ++i) {
      const int32_t p = q.players.owner[i];
      if (p >= 0 && (set >> p & 1) == 0) x.mutable_data<double>()[i] = q.baselines.at(b * 6 + i);
    }
    sum += interpret(q.graph, {{"x", x}}, 1)[0].at(0);
  }
  return sum / 2;
}

TEST(MaskedModel, ReplacesAbsentPlayersByTheBaselinesAndAverages) {
  const MaskedModel q = question();
  Game game = masked_model_game(question());
  const auto values = game.all_values();
  ASSERT_EQ(values.size(), 8U);
  for (uint64_t set = 0; set < 8; ++set) EXPECT_NEAR(values[set], slow_value(q, set), 1e-13) << set;
  EXPECT_NEAR(game.full_value(), slow_value(q, 7), 1e-13);
  EXPECT_NEAR(game.empty_value(), slow_value(q, 0), 1e-13);
  EXPECT_EQ(game.evaluations(), 10);
}

TEST(MaskedModel, GivesTheSameInFloatAndUnderASmallBudget) {
  const MaskedModel q = question();
  MaskedModel small = question();
  small.options.memory = 64 << 10;
  const auto exact = masked_model_game(question()).all_values(), cut = masked_model_game(small).all_values();
  const auto single = masked_model_game(question(DType::f32)).all_values();
  for (size_t set = 0; set < 8; ++set) {
    EXPECT_NEAR(cut[set], exact[set], 1e-12);
    EXPECT_NEAR(single[set], exact[set], 1e-5);
  }
}

TEST(MaskedModel, WithoutRowsTakesOneInputAtATime) {
  MaskedModel q = question();
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {6}});
  b.output("y", b.reduce("reduce_sum", b.mul(x, x), {0}, true));
  q.graph = select_element(graph, 0, 0);
  q.point = {q.point[0].reshaped({6})};
  q.baselines = q.baselines.reshaped({12});
  Game game = masked_model_game(q);
  const auto values = game.all_values();
  for (uint64_t set = 0; set < 8; ++set) EXPECT_NEAR(values[set], slow_value(q, set), 1e-13) << set;
}

TEST(MaskedModel, ComplainsOfWhatDoesNotFitAndOfWhatIsNotFinite) {
  MaskedModel wrong = question();
  wrong.baselines = random_tensor({1, 5}, 2);
  expect_error(ErrorKind::shape, "the baselines have 5", [&] { masked_model_game(wrong); });
  MaskedModel infinite = question();
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 6}});
  b.output("y", b.reduce("reduce_sum", b.op("reciprocal", {b.mul(x, 0)}), {1}, true));
  infinite.graph = select_element(graph, 0, 0);
  expect_error(ErrorKind::numeric, "for a masked input", [&] { masked_model_game(infinite).all_values(); });
}

TEST(Game, RemembersWhatItWasAsked) {
  int asked = 0;
  Game game(
      3,
      [&](const Coalitions& sets, std::span<double> out, const Progress&) {
        asked += static_cast<int>(sets.size());
        for (int64_t i = 0; i < sets.size(); ++i) out[i] = static_cast<double>(sets.words(i)[0]);
      },
      Game::Memory::remembers);
  Coalitions sets(3);
  for (const uint64_t set : {5U, 1U, 5U, 7U}) sets.add(set);
  EXPECT_EQ(game.values(sets), (std::vector<double>{5, 1, 5, 7}));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(game.values(sets), (std::vector<double>{5, 1, 5, 7}));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(game.evaluations(), 3);
}

TEST(Coalitions, HoldMoreThan64Players) {
  Coalitions sets(130);
  sets.add(std::vector<int64_t>{0, 64, 129});
  sets.add(std::vector<int64_t>{});
  EXPECT_EQ(sets.size(), 2);
  EXPECT_EQ(sets.words_per_set(), 3);
  for (int64_t p = 0; p < 130; ++p) {
    EXPECT_EQ(sets.has(0, p), p == 0 || p == 64 || p == 129);
    EXPECT_FALSE(sets.has(1, p));
  }
}

}  // namespace
}  // namespace ascribe::core
