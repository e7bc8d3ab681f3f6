// What derivatives and receptive fields tell about pairs: candidates that interact, and zeros that are zeros.
#include "methods/pair_hints.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "methods/question_game.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

ExplainedModel explained(const Graph& graph) { return ExplainedModel(graph, {.real = DType::f64}); }

Question question_of(int64_t elements, uint64_t seed = 1) {
  return {{random_tensor({1, elements}, seed)},
          0,
          Tensor(DType::f64, {1, elements}),
          make_players({"elements", {elements}, {}, {}, nullptr})};
}

// Columns 1 and 4 interact, 0 and 5 do less, the others add up.
Graph two_pairs(const std::string& bend) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 6}});
  const auto column = [&](int64_t i) { return b.slice(x, 1, i, 1); };
  const auto bent = [&](Value v) { return bend == "relu" ? b.op("relu", {v}) : b.op(bend, {v}); };
  const Value strong = b.mul(bent(b.add(column(1), b.mul(column(4), -1.5))), 4);
  const Value weak = bent(b.add(column(0), column(5)));
  b.output("y", b.add(b.add(strong, weak), b.add(column(2), column(3))));
  return graph;
}

TEST(PairHints, PutPairsThatBendTheFunctionTogetherFirst) {
  for (const char* bend : {"tanh", "relu"}) {
    ExplainedModel model = explained(two_pairs(bend));
    Question question = question_of(6);
    question.point[0] = Tensor::of<double>({1, 6}, {-0.4, 0.8, 0.3, -0.2, 0.9, 0.7});
    question.baselines = Tensor::of<double>({1, 6}, {0.2, -0.3, 0, 0, 0.1, -0.5});
    const PairHints found = pair_hints(model, question, 1000);
    ASSERT_EQ(found.hints.candidates.size(), 2) << bend << ": the others do not interact at all";
    EXPECT_EQ(found.hints.candidates[0].set, (std::vector<int>{1, 4})) << bend;
    EXPECT_EQ(found.hints.candidates[1].set, (std::vector<int>{0, 5})) << bend;
    EXPECT_GT(found.passes, 0);
    EXPECT_EQ(found.candidates,
              std::string(bend) == "tanh" ? "second derivatives" : "gradients with each player absent");
  }
}

TEST(PairHints, AreLeftOutWhereTheyWouldTakeTooMuch) {
  ExplainedModel model = explained(two_pairs("tanh"));
  const PairHints found = pair_hints(model, question_of(6), 10);
  EXPECT_TRUE(found.hints.candidates.empty());
  EXPECT_EQ(found.passes, 0);
}

// 3 x 3 windows, and a mean over the places behind them; with `squared`, what follows is not a sum over places.
Graph local_network(bool squared) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 1, 6, 6}});
  const Value h = b.op("relu", {b.op("conv", {x, b.constant(random_tensor({4, 1, 3, 3}, 11))},
                                     {{"strides", ints({1, 1})},
                                      {"pads", ints({1, 1, 1, 1})},
                                      {"dilations", ints({1, 1})},
                                      {"group", ints({1})}})});
  const Value pooled = b.reduce("reduce_mean", h, {2, 3}, false);
  const Value y = b.matmul(pooled, b.constant(random_tensor({4, 2}, 12)));
  b.output("y", squared ? b.mul(y, y) : y);
  return graph;
}

Question image_question() {
  Question question{{random_tensor({1, 1, 6, 6}, 21)}, 1, random_tensor({1, 1, 6, 6}, 22), {}};
  question.players = make_players({"pixels", {1, 6, 6}, ImageShape{PixelLayout::chw, 1, 6, 6}, {}, nullptr});
  return question;
}

TEST(PairHints, KnowPixelsThatNoPlaceSeesTogether) {
  ExplainedModel model = explained(local_network(false));
  const Question question = image_question();
  const auto apart = players_that_never_meet(model, question);
  ASSERT_TRUE(apart);
  Game game = question_game(model, question);
  std::map<std::vector<int>, double> effects;
  for (const Effect& effect : truncated_effects(game, 2, 1 << 20).effects) effects[effect.support] = effect.value;
  int together = 0;
  for (int p = 0; p < 36; ++p) {
    for (int q = p + 1; q < 36; ++q) {
      const bool near = std::abs(p / 6 - q / 6) <= 2 && std::abs(p % 6 - q % 6) <= 2;
      EXPECT_EQ((*apart)[static_cast<size_t>(p * 36 + q)] == 0, near) << p << ", " << q;
      const double effect = effects.at({p, q});
      if (!near) {
        EXPECT_NEAR(effect, 0, 1e-12) << p << ", " << q;
      }
      if (std::abs(effect) > 1e-6) ++together;
    }
  }
  EXPECT_GT(together, 50) << "those that are seen together do interact";
  const PairHints found = pair_hints(model, question, 1000);
  EXPECT_TRUE(found.hints.never_meet(0, 35));
  EXPECT_FALSE(found.hints.never_meet(0, 1));
  EXPECT_GT(found.never_meet, 300);
}

TEST(PairHints, SayNothingOfPixelsWhereTheNetworkIsNotASumOverPlaces) {
  const ExplainedModel model = explained(local_network(true));
  EXPECT_FALSE(players_that_never_meet(model, image_question()));
}

}  // namespace
}  // namespace ascribe::core
