#include "game/coalitions.h"

#include "base/error.h"

namespace ascribe::core {

Coalitions Coalitions::all(int64_t players) {
  require(players >= 0 && players < 40, "coalitions", "too many players to list every set");
  Coalitions sets(players);
  sets.words_.resize(size_t{1} << players);
  for (size_t i = 0; i < sets.words_.size(); ++i) sets.words_[i] = i;
  return sets;
}

}  // namespace ascribe::core
