// Attribution maps of many methods on many images: a row for each image, a column for each method. Every map has its
// own scale, which is symmetric about 0 and ends where robust_limit says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/heat_map.h"

namespace ascribe::core {

struct MapRow {
  std::string name;
  Image input;
  std::vector<std::optional<PixelValues>> maps;  // one per column; nothing: the method has none
};

struct MapTable {
  std::string title, line;
  std::vector<std::string> columns;  // names of the methods
  std::vector<MapRow> rows;
};

std::string map_table_svg(const MapTable& table);
// The images alone, on white.
Image map_table_image(const MapTable& table);

}  // namespace ascribe::core
