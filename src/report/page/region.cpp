#include "report/page/region.h"

#include <fmt/format.h>

namespace ascribe::core::page {

namespace {

using document::Region;

bool everything(const Region& region) { return region.cells() == region.height * region.width; }

std::vector<bool> cells_of(const Region& region) {
  std::vector<bool> cells(static_cast<size_t>(region.height * region.width), false);
  for (const document::Run& run : region.runs) {
    std::fill_n(cells.begin() + run.first, run.count, true);
  }
  return cells;
}

// The sides between cells that are read and others, as strokes; neighbouring ones are one stroke.
std::string outline_path(const Region& region) {
  const std::vector<bool> cells = cells_of(region);
  const auto inside = [&](int64_t y, int64_t x) {
    if (x < 0 || y < 0 || x >= region.width || y >= region.height) return false;
    return static_cast<bool>(cells[static_cast<size_t>(y * region.width + x)]);
  };
  std::string path;
  const auto sides = [&](bool lying, int64_t lines, int64_t along) {
    for (int64_t line = 0; line <= lines; ++line) {
      int64_t from = -1;
      for (int64_t at = 0; at <= along; ++at) {
        const bool side =
            at < along && (lying ? inside(line - 1, at) != inside(line, at) : inside(at, line - 1) != inside(at, line));
        if (side && from < 0) from = at;
        if (side || from < 0) continue;
        path +=
            lying ? fmt::format("M{} {}h{}", from, line, at - from) : fmt::format("M{} {}v{}", line, from, at - from);
        from = -1;
      }
    }
  };
  sides(true, region.height, region.width);
  sides(false, region.width, region.height);
  return path;
}

void write_outline(Html& html, const Region& region) {
  const std::string box = fmt::format("0 0 {} {}", region.width, region.height), path = outline_path(region);
  html.in("svg", {{"class", "region"}, {"viewBox", box}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
          [&] {
            html.in("path", {{"class", "under"}, {"d", path}}, "");
            html.in("path", {{"class", "over"}, {"d", path}}, "");
          });
}

std::string words_of(const Row& row) {
  const Region& region = *row.region;
  const int64_t cells = region.height * region.width, read = region.cells();
  const std::string of = region.height == 1 ? fmt::format("the {} steps", cells)
                                            : fmt::format("the {} × {} cells", region.height, region.width);
  if (everything(region)) return fmt::format("All of {} of the output are read.", of);
  return fmt::format("{} of {} of the output {} read ({}).{}", read, of, read == 1 ? "is" : "are",
                     percent_text(static_cast<double>(read) / static_cast<double>(cells)),
                     row.image ? " The outline shows where they lie on the input, if rows and columns of the output "
                                 "cover it evenly. What lies outside can still matter: the model looks at it too."
                               : "");
}

}  // namespace

void write_region_outline(Html& html, const Row& row) {
  if (row.region && !everything(*row.region)) write_outline(html, *row.region);
}

void write_region(Html& html, const RowPage& page) {
  const Row& row = page.row;
  if (!row.region) return;
  html.in("figure", {{"class", "region-figure"}}, [&] {
    if (row.image) {
      html.in("div",
              {{"class", "frame"},
               {"style", fmt::format("aspect-ratio:{}/{}", row.image->width, row.image->height)},
               {"role", "img"},
               {"aria-label", "The input with the region that is explained. " + words_of(row)}},
              [&] {
                html.in("div", {{"class", "ground ground" + std::to_string(page.number)}}, "");
                write_outline(html, *row.region);
              });
    }
    html.in("figcaption", {}, [&] {
      html.in("b", "What is explained: ");
      html.text(explained_text(row) + ". " + words_of(row));
    });
  });
}

}  // namespace ascribe::core::page
