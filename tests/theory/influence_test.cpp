// Functional ANOVA: where indices and methods stand, from what they compute, and on the page that says so.
#include "theory/influence.h"

#include <bit>
#include <map>

#include <gtest/gtest.h>

#include "base/file.h"
#include "game/moebius.h"
#include "methods/method.h"
#include "methods/question_game.h"
#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int kPlayers = 4;

// I(S) of the game whose only effect is 1 for T.
double of_one_effect(const InteractionIndex& index, uint64_t t, uint64_t s, int order) {
  Dividends one;
  one.players = kPlayers;
  one.values.assign(size_t{1} << kPlayers, 0.0);
  one.values[t] = 1;
  for (const Effect& effect : compute_index(index, one, order).effects) {
    uint64_t set = 0;
    for (const int player : effect.support) set |= uint64_t{1} << player;
    if (set == s) return effect.value;
  }
  return 0;
}

TEST(Influence, EveryIndexHasOfLargerEffectsWhatItSays) {
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    SCOPED_TRACE(name);
    const int order = std::min(2, index.most_order);
    bool nothing = true, everything = true, inside = false;
    for (uint64_t t = 1; t < 16; ++t) {
      for (uint64_t s = 1; s < 16; ++s) {
        if (std::popcount(s) > order || (s & t) == 0) continue;
        const double share = of_one_effect(index, t, s, order);
        const bool within = (t & ~s) == 0;
        if (within && t != s) inside = inside || std::abs(share) > 1e-12;
        const bool touched = index.joint || (s & ~t) == 0;  // all of S must be in the effect, or one of it
        if (within || !touched) continue;
        nothing = nothing && std::abs(share) < 1e-12;
        everything = everything && std::abs(share - 1) < 1e-12;
      }
    }
    EXPECT_EQ(nothing, index.influence == Influence::pure);
    EXPECT_EQ(everything, index.influence == Influence::full);
    if (order > 1) {
      EXPECT_EQ(inside, index.joint);
    }
  }
}

TEST(Influence, NamesAnIndex) {
  const std::map<std::string, std::pair<Influence, bool>> names = {{"pure", {Influence::pure, false}},
                                                                   {"partial", {Influence::partial, false}},
                                                                   {"full", {Influence::full, false}},
                                                                   {"joint:pure", {Influence::pure, true}},
                                                                   {"joint:partial", {Influence::partial, true}},
                                                                   {"joint:full", {Influence::full, true}}};
  for (const auto& [name, expected] : names) {
    const InteractionIndex& index = index_of_influence(name);
    EXPECT_EQ(index.influence, expected.first) << name;
    EXPECT_EQ(index.joint, expected.second) << name;
  }
  expect_error(ErrorKind::argument, "expected one of pure, partial, full", [] { index_of_influence("half"); });
}

TEST(Influence, ThePageOfTheTheoryPlacesAllFourteenMethods) {
  const std::string page = read_file(ASCRIBE_SOURCE_DIR "/docs/theory/anova.md");
  EXPECT_EQ(allocation_names().size(), 14);
  for (const std::string& name : allocation_names()) {
    const std::string line = place_line(allocation_rule(name));
    EXPECT_NE(page.find(line), std::string::npos) << "docs/theory/anova.md should have the line\n" << line;
  }
}

// ---- the running methods ----

// x0 x1 + 2 x1 x2 x3 - x3: of degree 1 in each, so that shares by degree and equal shares are the same.
Graph multilinear() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kPlayers}});
  const auto column = [&](int64_t i) { return b.slice(x, 1, i, 1); };
  const Value three = b.mul(b.mul(b.mul(column(1), column(2)), column(3)), 2);
  b.output("y", b.add(b.add(b.mul(column(0), column(1)), three), b.mul(column(3), -1)));
  return graph;
}

Question question_of(int64_t rows, const std::string& absence) {
  Question question{{random_tensor({1, kPlayers}, 3)},
                    0,
                    random_tensor({rows, kPlayers}, 4),
                    make_players({"elements", {kPlayers}, {}, {}, nullptr})};
  question.absence = absence_named(absence);
  return question;
}

// What the place of a method says of a game: v(i) - v(0), the Shapley value, or v(N) - v(N without i).
std::vector<double> individual(const std::string& influence, Game& game) {
  Game table = table_game(game.all_values());
  std::vector<double> values;
  for (const Effect& effect :
       compute_index(index_of_influence(influence), exact_dividends(table, size_t{1} << 20), 1).effects) {
    values.push_back(effect.value);
  }
  return values;
}

// Every method of masked or interpolated inputs, under every absence that it knows.
TEST(Influence, TheRunningMethodsGiveWhatTheirPlaceSays) {
  int checked = 0;
  for (const std::string& name : allocation_names()) {
    const AllocationRule& rule = allocation_rule(name);
    const Method& method = method_named(name);
    const InfluencePlace place = place_of(rule);
    if (rule.level != AllocationLevel::baseline || place.joint) continue;
    ASSERT_TRUE(place.influence) << name;
    for (const auto& [absence, rows] : std::map<std::string, int64_t>{
             {"baseline", 1}, {"marginal", 12}, {"conditional", 30}, {"conditional:kernel:0.5", 30}}) {
      const Question question = question_of(rows, absence);
      ExplainedModel model(multilinear(), {.real = DType::f64});
      std::map<std::string, std::string> given;
      if (!method.game) given["steps"] = "8";
      if (name == "expected_gradients") given = {{"steps", "8"}};
      const Parameters parameters(name, method.parameters, given);
      if (question.absence.conditional() && !method.game) {
        expect_error(ErrorKind::unsupported, "compares with baselines as they are",
                     [&] { attribute(method, model, std::span(&question, 1), parameters); });
        continue;
      }
      const Attribution answer = attribute(method, model, std::span(&question, 1), parameters)[0];
      Game game = question_game(model, question);
      const std::vector<double> wanted = individual(std::string(to_string(*place.influence)), game);
      ASSERT_EQ(answer.values.size(), wanted.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(answer.values[i], wanted[i], 1e-10) << name << " with absence " << absence << ", player " << i;
      }
      ++checked;
    }
  }
  EXPECT_GE(checked, 12);
}

// Seen from x, gradient x input has of every effect of several players nothing, and of a player's own the slope.
TEST(Influence, GradientXInputIsPure) {
  const InfluencePlace place = place_of(allocation_rule("gradient_x_input"));
  EXPECT_EQ(place.influence, Influence::pure);
  EXPECT_TRUE(place.slope_only);
  EXPECT_FALSE(place_of(allocation_rule("occlusion")).slope_only);
  EXPECT_FALSE(place_of(allocation_rule("lrp_alpha_beta")).influence);
  EXPECT_TRUE(place_of(allocation_rule("occlusion_patch")).joint);
}

}  // namespace
}  // namespace ascribe::core
