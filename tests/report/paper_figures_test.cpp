// Pictures of allocations, of bars in panels and of dots in rows.
#include <gtest/gtest.h>

#include "draw/allocation_sheet.h"
#include "draw/bar_panels.h"
#include "draw/dot_rows.h"
#include "draw/markers.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

TEST(AllocationSheet, FramesWhatIsGivenOutsideOfASet) {
  AllocationSheet sheet{"title", "line", 2, {1, 2, 3}, {4, -2, 1}, {}};
  sheet.blocks.push_back({"faithful", {4, 0, 0, -2, 0.5, 0.5}, "gives all"});
  EXPECT_EQ(occurrences(allocation_sheet_svg(sheet), "#000000"), 0U);
  sheet.blocks.push_back({"leaky", {3, 1, 1e-9, -2, 0.5, 0.5}, ""});  // 1 to the second player; rounding to the first
  const std::string svg = allocation_sheet_svg(sheet);
  EXPECT_EQ(occurrences(svg, "#000000"), 1U);
  for (const char* text : {">faithful<", ">leaky<", ">gives all<", ">+4.00<", ">-2.00<"}) {
    EXPECT_EQ(occurrences(svg, text), 1U) << text;
  }
}

TEST(AllocationSheet, RepeatsTheSetsForEveryBandOfBlocks) {
  AllocationSheet sheet{"title", "line", 1, {1}, {4}, {}};
  for (int i = 0; i < 9; ++i) sheet.blocks.push_back({"block", {4}, ""});
  EXPECT_EQ(occurrences(allocation_sheet_svg(sheet), "effect J(S)"), 2U);
}

TEST(BarPanels, PaintKindsAndLeaveHollowBarsEmpty) {
  BarPanels sheet{"title", "line", {{0, "effect"}}, {{"row", {{"panel", {}, "remark"}}}}};
  sheet.rows[0].panels[0].bars = {{"a", 2, 2, false}, {"b", -1, 1, true}, {"c", 0, 2, false}};
  const std::string svg = bar_panels_svg(sheet);
  const std::string full = std::string("fill=\"") + color_of_kind(2),
                    hollow = std::string("stroke=\"") + color_of_kind(1);
  EXPECT_EQ(occurrences(svg, full), 2U) << svg;
  EXPECT_EQ(occurrences(svg, hollow), 1U);
  for (const char* text : {">row<", ">panel<", ">remark<", ">a<", ">b<", ">effect<"}) {
    EXPECT_EQ(occurrences(svg, text), 1U) << text;
  }
}

TEST(DotRows, HaveALineForEveryIntervalAndNameEveryRow) {
  DotRows chart{"title", "line", " %", {{3, "three"}}, {}};
  chart.panels.push_back({"panel", {{"first", {{3, 40, 30, 50}, {1, 60, 55, 65}}}, {"second", {{3, 45, 40, 50}}}}, {}});
  const std::string svg = dot_rows_svg(chart);
  for (const char* text : {">first<", ">second<", ">panel<", ">three<", ">60 %<"}) {
    EXPECT_EQ(occurrences(svg, text), 1U) << text;
  }
  EXPECT_EQ(occurrences(svg, "<circle"), 3U) << "two dots and the legend";
  EXPECT_EQ(svg.find("chance"), std::string::npos);
  chart.panels[0].reference = {"chance", 12};
  EXPECT_EQ(occurrences(dot_rows_svg(chart), ">chance<"), 1U);
}

}  // namespace
}  // namespace ascribe::core
