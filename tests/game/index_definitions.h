// The interaction indices as their papers define them, from the values of a game: slow and obvious.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ascribe::core {

struct DefinedGame {
  int players = 0;
  std::vector<double> values;  // 2^players
};

// I(S) for every set S of 1 .. order players, by the set as a number.
using IndexValues = std::map<unsigned, double>;
using Definition = std::function<IndexValues(const DefinedGame&, int order)>;

const std::map<std::string, Definition>& index_definitions();

}  // namespace ascribe::core
