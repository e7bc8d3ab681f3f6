// Players: which player each element of an input row belongs to. Elements that belong to none stay at x.
//   elements       every number by itself
//   pixels         all channels of a pixel
//   patch:K        squares of K x K pixels; those at the right and lower edge may be smaller
//   grid:RxC       R rows of C cells, as equal as whole pixels allow
//   superpixels:N  at most N connected regions of similar colour (superpixels.h)
//   columns        every feature of a table, by its name
//   time           every step of a series, with all its channels
//   time:K         K steps that follow each other; patch:K is the same. The last ones may be fewer
//   channel        every channel of a series, with all its steps
//   groups:F.json  {"name": [elements], ...}; elements by number, by range "0:10" (before 10) or by column name
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/preprocess.h"
#include "tensor/tensor.h"

namespace ascribe::core {

struct Players {
  std::vector<int32_t> owner;              // of each element of a row; -1: nobody
  std::vector<std::string> names;          // one per player; rows and columns of images are counted from 0: "r2c0"
  std::string description;                 // "grid:4x4"
  std::optional<ImageShape> image;         // with height and width, if the row is an image
  std::optional<ImageShape> series = {};   // if it is a series: of height 1
  std::vector<std::string> channels = {};  // names of the channels of a series

  int64_t count() const { return static_cast<int64_t>(names.size()); }
  // What has neighbours: an image or a series.
  const std::optional<ImageShape>& plane() const { return image ? image : series; }
};

struct PlayersRequest {
  // elements | pixels | patch:K | grid:RxC | superpixels:N | columns | time | time:K | channel | groups:FILE
  std::string text;
  Shape row;                         // shape of one row of the input
  std::optional<ImageShape> image;   // how the row holds an image, if it does
  std::vector<std::string> columns;  // names of features, if the data are a table; of a series: of its channels
  const Tensor* x = nullptr;         // the row itself: superpixels follow its contents
};

// An empty text: pixels for images, columns for tables, time for series of one channel, elements otherwise.
Players make_players(const PlayersRequest& request);

// With height and width: a flat row counts as a square image of one channel or three, if its length is one's.
std::optional<ImageShape> sized_image(const std::optional<ImageShape>& image);

// Where a pixel's channel lies in the row.
inline int64_t element_of(const ImageShape& image, int64_t channel, int64_t y, int64_t x) {
  const int64_t pixel = y * image.width + x;
  return image.layout == PixelLayout::chw ? channel * image.height * image.width + pixel
                                          : pixel * image.channels + channel;
}

}  // namespace ascribe::core
