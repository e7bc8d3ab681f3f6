// Which inputs are series, and which axis is time: as the model reads them.
#pragma once

#include <optional>
#include <vector>

#include "data/preprocess.h"
#include "graph/graph.h"

namespace ascribe::core::study {

// Convolutions along one axis read [channels, steps]; recurrent layers, and products that mix the last axis at every
// step alike, read [steps, channels]. Nothing if the model does neither with this input: it may be an image.
std::optional<ImageShape> series_read(const Graph& graph, Value input);

// Numbers of a row, channel by channel.
template <class F>
auto by_channel(const ImageShape& series, int64_t channel, F&& at) {
  std::vector<decltype(at(int64_t{}))> values;
  for (int64_t step = 0; step < series.width; ++step) {
    values.push_back(
        at(series.layout == PixelLayout::chw ? channel * series.width + step : step * series.channels + channel));
  }
  return values;
}

// Without evidence: the longer axis of the row is time, the first of two equal ones.
ImageShape series_by_length(const Shape& row);

}  // namespace ascribe::core::study
