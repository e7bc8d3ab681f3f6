// What players are called on the page. Cells of a grid are named by where they are ("top left", "row 5, column 10"),
// segments by the part of the picture they lie in, tokens by their text. Names that the user gave stay as they are.
#pragma once

#include <string>
#include <vector>

#include "report/page/sections.h"

namespace ascribe::core::page {

class Places {
 public:
  // `width`: of the picture, if there is one.
  explicit Places(const PlayerList& players, int64_t width = 0);
  Places(const Row& row, const PlayerList& players) : Places(players, row.image ? row.image->width : 0) {}
  explicit Places(const Row& row) : Places(row, row.players) {}

  size_t count() const { return names_.size(); }
  const std::string& name(size_t player) const { return names_[player]; }
  // "rooms = 4", or only the name.
  std::string text(size_t player) const;

 private:
  std::vector<std::string> names_, values_;
};

// A sentence in which cells of these players' grid have names such as r1c1.
std::string with_place_names(const std::string& sentence, const PlayerList& players);
// "Rows count from the top, columns from the left."; empty if the names speak for themselves.
std::string places_note(const PlayerList& players);

// What a part of this input is called: "region", "column", "word", "step".
std::string part_noun(RowKind kind, const PlayerList& players);
inline std::string part_noun(const Row& row) { return part_noun(row.kind, row.players); }
// Some by themselves and the others as one, the last (study/strongest_players.h).
bool are_the_strongest(const PlayerList& players);
// What makes them the strongest, as a sentence; empty if these are not chosen so.
std::string strongest_words(const PlayerList& players);
// "3 regions", "11 parts: the 10 strongest columns, and the other 20 columns together as one"
std::string counted_parts(RowKind kind, const PlayerList& players);

// One of nine: "top left", "middle". `across` and `down` from 0 to 1.
const char* ninth_of_picture(double across, double down);

}  // namespace ascribe::core::page
