// A small heat map on a terminal with colours: two pixels to a character, in the colours of draw/diverging.h.
#pragma once

#include <string>
#include <vector>

#include "draw/heat_map.h"

namespace ascribe::core::cli {

struct TerminalMap {
  std::string title;
  PixelValues values;  // row by row
};

// The lines of all maps of one size side by side, as many as `columns` characters hold, each with its title below and a
// scale of its own; larger images are made smaller by averaging.
std::vector<std::string> terminal_maps(const std::vector<TerminalMap>& maps, int64_t height, int64_t width,
                                       int64_t columns);

// How many characters a line of the terminal behind stdout has; 0: it is not a terminal, or colours are not wanted.
int64_t colored_columns();

}  // namespace ascribe::core::cli
