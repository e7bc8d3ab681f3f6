// A game that is computed in a faster way, held against the plain way the first time it is asked.
#pragma once

#include <memory>

#include "game/game.h"

namespace ascribe::core {

enum class GameVerdict { unchecked, agrees, differs };

struct GameCheck {
  double tolerance = 0;               // of the largest value: what rounding may explain
  int64_t least = 8, most = 8;        // coalitions that are computed both ways
  int64_t one_of = 1;                 // between the two: one of so many
  std::function<bool()> is_due = {};  // whether the faster way was used at all; null: it always is
};

// Coalitions spread over the first batch are computed both ways. If they differ by more than the tolerance, all values
// are the plain game's from then on. The verdict may be shared with other games of the same kind; it is given there.
Game checked_game(std::shared_ptr<Game> fast, std::shared_ptr<Game> plain, std::shared_ptr<GameVerdict> verdict,
                  const GameCheck& check);

}  // namespace ascribe::core
