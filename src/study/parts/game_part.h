// One game of 2^n coalitions on many machines (docs/howto/decompose.md): every process evaluates some of its subcubes
// (game/subcubes.h) and writes each as a part (parts/part_file.h). Which parts there are follows from the number of
// players alone, so any number of processes, now or later, may share the work; a part that is there is not computed
// again. merged_game.h puts them together.
#pragma once

#include <string>
#include <vector>

#include "study/decompose.h"
#include "study/parts/shard.h"

namespace ascribe::core::study {

inline constexpr std::string_view kGameKind = "game";

struct GamePartRequest {
  // Without Taylor, AND and OR effects, samples and an order of effects. `at_any_cost`: more than kMostExactPlayers.
  DecomposeRequest what;
  std::string folder;  // for the parts of all processes; is made if the one above is there
  Shard shard;
};

struct GamePartResult {
  std::string model, title;
  int players = 0;
  int64_t subcubes = 0;            // of the whole game
  int64_t mine = 0, computed = 0;  // of this shard; those that were not there yet
  int64_t evaluations = 0;
  double bytes = 0;  // of the parts of the whole game
  double seconds = 0;
  std::vector<std::string> notes;
};

GamePartResult game_part(const Subject& subject, const GamePartRequest& request);
Json to_json(const GamePartResult& result);

// How a game is laid out in parts. Items are slices of subcubes, one block each: v of the last set of the subcube, then
// the values of the slice, all as doubles.
struct GameParts {
  int players = 0;

  int64_t slices() const;      // of a subcube
  int64_t slice_size() const;  // in values
  Items items_of_subcube(int64_t number) const;
  int64_t items() const;
};

}  // namespace ascribe::core::study
