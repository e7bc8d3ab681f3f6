#include "draw/verdicts.h"

#include <algorithm>

#include "draw/axis.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kRow = 32, kColumn = 190, kVerdictName = 14;

void tick(Svg& svg, Point at) {
  svg.segments({{{at.x - 7, at.y}, {at.x - 2, at.y + 6}}, {{at.x - 2, at.y + 6}, {at.x + 8, at.y - 7}}},
               {kNegative, 2.6});
}

void cross(Svg& svg, Point at) {
  svg.segments({{{at.x - 6, at.y - 6}, {at.x + 6, at.y + 6}}, {{at.x - 6, at.y + 6}, {at.x + 6, at.y - 6}}},
               {kPositive, 2.6});
}

}  // namespace

std::string verdicts_svg(const VerdictTable& table) {
  double names = 0, remarks = 0;
  for (const VerdictRow& row : table.rows) {
    names = std::max(names, text_width(row.name, kVerdictName));
    remarks = std::max(remarks, text_width(row.remark, 13));
  }
  const double left = kMargin + names + 24, right = left + kColumn * static_cast<double>(table.columns.size());
  Svg svg(std::max(right + remarks + 2 * kMargin, head_width(table.title, table.line)),
          kHead + 34 + kRow * static_cast<double>(table.rows.size()) + kMargin);
  head(svg, table.title, table.line);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    svg.text({left + kColumn * (static_cast<double>(c) + 0.5), kHead + 18}, table.columns[c],
             {.size = 14, .anchor = Anchor::middle, .bold = true});
  }
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const double top = kHead + 34 + kRow * static_cast<double>(r), middle = top + kRow / 2;
    if (r % 2 == 0) svg.rectangle({kMargin - 8, top}, right + remarks + 24 - kMargin, kRow, "#f4f4f4");
    svg.text({kMargin, middle + 5}, table.rows[r].name, {.size = kVerdictName});
    for (size_t c = 0; c < table.rows[r].cells.size(); ++c) {
      const VerdictCell& cell = table.rows[r].cells[c];
      const Point at{left + kColumn * static_cast<double>(c) + kColumn / 2 - 26, middle};
      if (cell.holds) tick(svg, at);
      else cross(svg, at);
      svg.text({at.x + 18, middle + 4.5}, cell.figure, {.size = 12.5, .color = "#555555"});
    }
    svg.text({right + 12, middle + 4.5}, table.rows[r].remark, {.size = 13, .color = "#444444"});
  }
  return svg.finish();
}

}  // namespace ascribe::core
