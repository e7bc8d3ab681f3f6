#include "draw/scatter.h"

#include <cmath>

#include <gtest/gtest.h>

#include "draw/lines.h"
#include "draw/map_table.h"
#include "draw/verdicts.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

TEST(SpreadApart, LeavesPlacesThatAreFarEnoughFromEachOther) {
  EXPECT_EQ(spread_apart({10, 40, 90}, 20, 0, 100), (std::vector<double>{10, 40, 90}));
}

TEST(SpreadApart, MovesNeighboursByEquallyMuch) {
  const auto places = spread_apart({50, 50, 50}, 20, 0, 100);
  EXPECT_EQ(places, (std::vector<double>{30, 50, 70}));
}

TEST(SpreadApart, KeepsOrderGapAndBorders) {
  for (const auto& wanted : {std::vector<double>{0, 1, 2, 3, 99}, {98, 99, 99, 100}, {0, 30, 31, 32, 33}}) {
    const auto places = spread_apart(wanted, 15, 0, 100);
    ASSERT_EQ(places.size(), wanted.size());
    EXPECT_GE(places.front(), 0);
    EXPECT_LE(places.back(), 100 + 1e-9);
    for (size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 15 - 1e-9);
  }
}

TEST(Axis, MarksRoundNumbersAndHoldsEverything) {
  const std::vector<double> values = {3.2, 71};
  const Axis axis(Scale::linear, values, 0, 100, " %");
  EXPECT_EQ(axis.marks().front(), 0);
  EXPECT_EQ(axis.marks().back(), 80);
  EXPECT_EQ(axis.text(axis.marks()[1]), "20 %");
  EXPECT_DOUBLE_EQ(axis.place(0), 100);
  EXPECT_DOUBLE_EQ(axis.place(40), 50);
}

TEST(Axis, TakesLogarithmsOfWhatHasThem) {
  const std::vector<double> values = {0.02, 500, 0, NAN};
  const Axis axis(Scale::logarithmic, values, 0, 100);
  EXPECT_DOUBLE_EQ(axis.place(0.01), 100);
  EXPECT_DOUBLE_EQ(axis.place(1000), 0);
  EXPECT_NEAR(axis.place(std::sqrt(0.01 * 1000)), 50, 1e-9);
  EXPECT_DOUBLE_EQ(axis.place(0), 100) << "cut off at the end of the axis";
}

ScatterPanel panel() {
  return {"a <network>",
          {{"first", 3, 1, 0.5, 2}, {"second", 3, 100, 90, 110}, {"third", 1, 10, 9, 11}},
          ScatterPoint{"chance", 0, 5, 0, 0},
          "2 images"};
}

TEST(Scatter, TheLineOfAGroupIsItsMean) {
  EXPECT_DOUBLE_EQ(*mean_of_group(panel(), 3, Scale::linear), 50.5);
  EXPECT_NEAR(*mean_of_group(panel(), 3, Scale::logarithmic), 10, 1e-12);
  EXPECT_EQ(mean_of_group(panel(), 2, Scale::linear), std::nullopt);
}

TEST(Scatter, WhatIsCutOffKeepsItsNumberButNotItsPlace) {
  ScatterPanel cut = panel();
  cut.cut = 50;
  EXPECT_DOUBLE_EQ(*mean_of_group(cut, 3, Scale::linear), 1);
  const std::string svg = scatter_svg({"title", "line", "groups", "values", Scale::linear, "", {cut}});
  EXPECT_EQ(occurrences(svg, ">second (1e+02)<"), 1U);
  EXPECT_EQ(occurrences(svg, "<circle"), 1U);
  EXPECT_EQ(occurrences(svg, ">100<"), 0U) << "the axis ends before";
}

TEST(Scatter, NamesEveryPointOnceAndEveryGroup) {
  const std::string svg =
      scatter_svg({"title", "line", "groups", "values", Scale::logarithmic, "", {panel(), panel()}});
  for (const char* name : {">first<", ">second<", ">third<", ">chance<", ">a &lt;network&gt;<", ">2 images<"}) {
    EXPECT_EQ(occurrences(svg, name), 2U) << name;
  }
  EXPECT_EQ(occurrences(svg, "<circle"), 4U) << "group 3";
  EXPECT_EQ(occurrences(svg, "<polygon"), 2U) << "group 1";
}

TEST(Lines, LeaveOutWhatALogarithmDoesNotTake) {
  const LineChart chart{"t",
                        "l",
                        "K",
                        {"1", "2", "3"},
                        {{"p", {{"whole", {1, 0.1, 0.01}}, {"holes", {NAN, 0, 1}}, {"none", {0, 0, 0}}}}}};
  const std::string svg = lines_svg(chart);
  EXPECT_EQ(occurrences(svg, "<circle"), 4U);
  EXPECT_EQ(occurrences(svg, ">whole<"), 1U);
  EXPECT_EQ(occurrences(svg, ">none<"), 0U);
}

TEST(MapTable, HasAnImageForTheInputAndForEveryMapThatThereIs) {
  const Image input{2, 2, 1, {0, 255, 0, 255}, false};
  const MapTable table{"t", "l", {"One", "Two words"}, {{"row", input, {PixelValues{1, -1, 0, 2}, std::nullopt}}}};
  EXPECT_EQ(occurrences(map_table_svg(table), "data:image/png;base64,"), 2U);
  const Image sheet = map_table_image(table);
  const int64_t side = 2 * enlargement(2, 2, 84) + 6;
  EXPECT_EQ(sheet.width, 3 * side + 6);
  EXPECT_EQ(sheet.at(6, 6, 0), 0) << "the input's first pixel is black";
  EXPECT_EQ(sheet.at(6, 2 * side + 10, 0), 255) << "nothing where there is no map";
}

TEST(Verdicts, HaveATickOrACrossInEveryCell) {
  const std::string svg = verdicts_svg({"t", "l", {"a", "b"}, {{"row", {{true, "0"}, {false, "8 %"}}, "1 of 2"}}});
  EXPECT_EQ(occurrences(svg, "<path"), 2U);
  EXPECT_EQ(occurrences(svg, ">8 %<"), 1U);
}

}  // namespace
}  // namespace ascribe::core
