// Sets of a few players in rows, with the effect of each, and for each name a block of cells: what every player is
// given of it, in the colours of draw/diverging.h. What is given to a player outside of the set is framed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascribe::core {

struct AllocationBlock {
  std::string name;
  std::vector<double> given;  // at set * players + player
  std::string remark = {};    // below
};

struct AllocationSheet {
  std::string title, line;
  int players = 0;
  std::vector<uint64_t> sets;   // players as bits
  std::vector<double> effects;  // of the sets
  std::vector<AllocationBlock> blocks;
};

std::string allocation_sheet_svg(const AllocationSheet& sheet);

}  // namespace ascribe::core
