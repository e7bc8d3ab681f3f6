// Channels of a series below one another, each a line over time on the colours of what its steps received. The lines
// scale with the page and the letters do not, so that they can be read at any width.
#pragma once

#include "report/page/sections.h"

namespace ascribe::core::page {

struct Tracks {
  const document::Series& series;
  std::string id;            // of the lines in the page, which are written once; empty: they are written here
  std::string label;         // what they show, for those who cannot see it
  size_t most_channels = 0;  // 0: all
  bool read_out = true;      // the script tells values of steps that are pointed at or reached by keys
};

// The lines, to be used by all that draw them. Nothing of it is seen.
void write_lines(Html& html, const Tracks& tracks);

// Behind the lines.
struct Shares {
  std::vector<Number> numbers = {};  // of every number of the series; empty: the lines alone
  double limit = 0;                  // of the colours
  std::vector<Number> sums = {};     // of the channels; empty: they cannot be told
};
void write_tracks(Html& html, const Tracks& tracks, const Shares& shares);

// The ramp with its ends in numbers, and in words where there is room.
void write_ramp(Html& html, double limit, bool words = true);

// What each channel got in all: the sum of what is shown, if that is what the method gave, or of players that lie in
// one channel. Nothing where players reach over several channels.
std::vector<Number> sums_of_channels(const document::Series& series, const std::vector<Number>& shares,
                                     const std::vector<int32_t>& owner, const std::vector<Number>& values,
                                     const Number& sum);

// What is behind the numbers of a series: a map, or what their players have.
std::vector<Number> shares_of_series(size_t count, const std::vector<int32_t>& owner, const std::optional<Map>& map,
                                     const std::vector<Number>& values);

// "strongest: heart, steps 40 to 49, +0.31"; empty: all values are 0.
std::string strongest_player_text(const PlayerList& players, const std::vector<Number>& values,
                                  const std::vector<size_t>& among = {});

}  // namespace ascribe::core::page
