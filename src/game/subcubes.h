// A game of 2^m coalitions that is larger than a machine, cut into subcubes: all sets with the same members among the
// last players. Each subcube is evaluated and transformed over its own players by whoever has time; at the end the
// same stretch of all subcubes is transformed over the last players. That is the Möbius transform of the whole table
// (game/moebius.h) in the same order, so the dividends have the same bits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "game/game.h"

namespace ascribe::core {

inline constexpr int kMostSharedPlayers = 36;

// How the sets of a game are cut. It depends on the number of players alone, so the same subcubes come out of any
// number of machines.
struct Subcubes {
  int players = 0;
  int last = 0;  // players that are the same for all sets of a subcube

  int64_t count() const { return int64_t{1} << last; }
  int64_t size() const { return int64_t{1} << (players - last); }
};

Subcubes subcubes_of(int players);

struct Subcube {
  std::vector<double> values;              // transformed over the first players
  double first_value = 0, last_value = 0;  // v of its smallest and its largest set
};

Subcube evaluate_subcube(Game& game, const Subcubes& subcubes, int64_t number, const Progress& progress = {});

// Fills `out` with the values of a subcube from `first` on. It may be called by several threads at once.
using ReadSubcube = std::function<void(int64_t number, int64_t first, std::span<double> out)>;
// Dividends of the sets first, first + 1, ...: a power of two of them, in whole blocks of game/effect_stream.h.
using TakeDividends = std::function<void(uint64_t first, std::span<const double> dividends)>;

// All dividends, piece by piece. Takes about `memory` bytes, but at least one block of every subcube.
void join_subcubes(const Subcubes& subcubes, const ReadSubcube& read, size_t memory, const TakeDividends& take,
                   const Progress& progress = {});
// What it takes at least.
size_t least_memory_to_join(const Subcubes& subcubes);

}  // namespace ascribe::core
