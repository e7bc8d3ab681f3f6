#include "game/checked_game.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

std::shared_ptr<Game> game_of(double factor, std::shared_ptr<int64_t> asked = nullptr) {
  return std::make_shared<Game>(3, [=](const Coalitions& sets, std::span<double> out, const Progress&) {
    if (asked) *asked += sets.size();
    for (int64_t s = 0; s < sets.size(); ++s) out[s] = factor * static_cast<double>(sets.words(s)[0] + 1);
  });
}

TEST(CheckedGame, DisagreementLeadsToThePlainGame) {
  const auto verdict = std::make_shared<GameVerdict>(GameVerdict::unchecked);
  Game game = checked_game(game_of(1.001), game_of(1), verdict, {.tolerance = 1e-4});
  EXPECT_EQ(game.all_values(), game_of(1)->all_values());
  EXPECT_EQ(*verdict, GameVerdict::differs);
  EXPECT_EQ(game.at(std::array<int64_t, 1>{2}), 5);
}

TEST(CheckedGame, RoundingIsNoDisagreement) {
  const auto verdict = std::make_shared<GameVerdict>(GameVerdict::unchecked);
  const auto asked = std::make_shared<int64_t>(0);
  Game game = checked_game(game_of(1.00001), game_of(1, asked), verdict,
                           {.tolerance = 1e-4, .least = 2, .most = 8, .one_of = 64});
  EXPECT_EQ(game.all_values(), game_of(1.00001)->all_values());
  EXPECT_EQ(*verdict, GameVerdict::agrees);
  EXPECT_EQ(*asked, 2);
  game.all_values();
  EXPECT_EQ(*asked, 2);  // once
}

TEST(CheckedGame, WhatWasNotUsedIsNotChecked) {
  const auto verdict = std::make_shared<GameVerdict>(GameVerdict::unchecked);
  const auto asked = std::make_shared<int64_t>(0);
  bool used = false;
  Game game = checked_game(game_of(2), game_of(1, asked), verdict, {.tolerance = 1e-4, .is_due = [&] { return used; }});
  EXPECT_EQ(game.full_value(), 16);
  EXPECT_EQ(*asked, 0);
  used = true;
  EXPECT_EQ(game.full_value(), 8);
}

}  // namespace
}  // namespace ascribe::core
