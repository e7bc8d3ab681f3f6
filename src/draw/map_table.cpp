#include "draw/map_table.h"

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "draw/axis.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kCell = 92, kGap = 8, kNames = 58;  // kNames: for the names of the columns, in lines of words
constexpr int64_t kSide = 84, kBorder = 6;           // of the picture without words

Image panel(const MapRow& row, size_t column) {
  if (column == 0) return to_rgb(row.input);
  const auto& values = row.maps[column - 1];
  if (!values) return {};
  return heat_map(row.input, *values, robust_limit(*values));
}

// Words in lines that fit a cell; the last line is the lowest.
std::vector<std::string> wrapped(const std::string& name) {
  std::vector<std::string> lines;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && text_width(lines.back() + " " + word, 12.5) <= kCell;
    if (fits) lines.back() += " " + word;
    else lines.push_back(word);
  }
  return lines;
}

void column_head(Svg& svg, const std::string& name, Point corner) {
  const std::vector<std::string> lines = wrapped(name);
  for (size_t i = 0; i < lines.size(); ++i) {
    const double y = corner.y - 8 - 15 * static_cast<double>(lines.size() - 1 - i);
    svg.text({corner.x + kCell / 2, y}, lines[i], {.size = 12.5, .anchor = Anchor::middle});
  }
}

void paste(Image& sheet, const Image& part, int64_t top, int64_t left) {
  for (int64_t y = 0; y < part.height; ++y) {
    const auto from = part.pixels.begin() + y * part.width * 3;
    std::copy(from, from + part.width * 3, sheet.pixels.begin() + ((top + y) * sheet.width + left) * 3);
  }
}

}  // namespace

std::string map_table_svg(const MapTable& table) {
  double names = 0;
  for (const MapRow& row : table.rows) names = std::max(names, text_width(row.name, 14));
  const Point origin{kMargin + names + 14, kHead + kNames};
  const auto columns = static_cast<double>(table.columns.size() + 1), rows = static_cast<double>(table.rows.size());
  Svg svg(std::max(origin.x + columns * (kCell + kGap) + kMargin, head_width(table.title, table.line)),
          origin.y + rows * (kCell + kGap) + kMargin);
  head(svg, table.title, table.line);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const MapRow& row = table.rows[r];
    require(row.maps.size() == table.columns.size(), "pictures", "a map for each column");
    const double y = origin.y + (kCell + kGap) * static_cast<double>(r);
    svg.text({origin.x - 14, y + kCell / 2 + 5}, row.name, {.size = 14, .anchor = Anchor::end});
    for (size_t c = 0; c <= table.columns.size(); ++c) {
      const Point corner{origin.x + (kCell + kGap) * static_cast<double>(c), y};
      if (r == 0) column_head(svg, c == 0 ? "Input" : table.columns[c - 1], corner);
      const Image image = panel(row, c);
      if (image.height > 0) svg.image(corner, kCell, kCell, image);
      svg.rectangle(corner, kCell, kCell, "none", {.color = "#bbbbbb"});
    }
  }
  return svg.finish();
}

Image map_table_image(const MapTable& table) {
  if (table.rows.empty()) return {};
  const Image& first = table.rows[0].input;
  const int64_t factor = enlargement(first.height, first.width, kSide);
  const int64_t height = factor * first.height + kBorder, width = factor * first.width + kBorder;
  Image sheet{
      height * std::ssize(table.rows) + kBorder, width * (std::ssize(table.columns) + 1) + kBorder, 3, {}, false};
  sheet.pixels.assign(static_cast<size_t>(sheet.height * sheet.width * 3), 255.0F);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    require(table.rows[r].input.height == first.height && table.rows[r].input.width == first.width, "pictures",
            "images of one size");
    for (size_t c = 0; c <= table.columns.size(); ++c) {
      const Image image = panel(table.rows[r], c);
      if (image.height == 0) continue;
      paste(sheet, enlarged(image, factor), kBorder + height * static_cast<int64_t>(r),
            kBorder + width * static_cast<int64_t>(c));
    }
  }
  return sheet;
}

}  // namespace ascribe::core
