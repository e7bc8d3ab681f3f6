// Regions are named by where they are; whatever the user named keeps its name.
#include "report/page/places.h"

#include <gtest/gtest.h>

namespace ascribe::core::page {
namespace {

PlayerList grid(int64_t rows, int64_t columns, const std::string& input = "") {
  PlayerList players{"grid", {}, {}, {}};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) players.names.push_back(fmt::format("{}r{}c{}", input, r, c));
  }
  return players;
}

std::string names_of(const PlayerList& players, int64_t width = 0) {
  const Places places(players, width);
  std::string text;
  for (size_t p = 0; p < players.count(); ++p) text += (p == 0 ? "" : "; ") + places.name(p);
  return text;
}

TEST(Places, few_cells_have_words) {
  EXPECT_EQ(names_of(grid(3, 3)),
            "top left; top middle; top right; middle left; middle; middle right; bottom left; bottom middle; bottom "
            "right");
  EXPECT_EQ(names_of(grid(2, 2)), "top left; top right; bottom left; bottom right");
  EXPECT_EQ(names_of(grid(1, 2)), "left; right");
  EXPECT_EQ(names_of(grid(2, 1)), "top; bottom");
  EXPECT_EQ(names_of(grid(1, 1)), "all of it");
}

TEST(Places, many_cells_are_counted_from_one) {
  const Places places(grid(14, 14));
  EXPECT_EQ(places.name(0), "row 1, column 1");
  EXPECT_EQ(places.name(14 * 4 + 9), "row 5, column 10");
  EXPECT_EQ(places_note(grid(14, 14)), "Rows count from the top, columns from the left.");
  EXPECT_EQ(places_note(grid(3, 3)), "");
}

TEST(Places, names_that_the_user_gave_stay) {
  EXPECT_EQ(names_of({"groups:g.json", {"heel", "sole", "r2d2", "r1c", "rc1", "xr1c1"}, {}, {}}),
            "heel; sole; r2d2; r1c; rc1; xr1c1");
  EXPECT_EQ(names_of({"columns", {"s1", "s2"}, {"3", "4"}, {}}), "s1; s2");  // columns, not segments of a picture
}

TEST(Places, are_different_for_different_players) {
  for (const int64_t side : {1, 2, 3, 4, 14}) {
    const PlayerList players = grid(side, side + 1);
    const Places places(players);
    std::set<std::string> names;
    for (size_t p = 0; p < players.count(); ++p) names.insert(places.name(p));
    EXPECT_EQ(names.size(), players.count());
  }
}

TEST(Places, several_inputs_have_their_own_grids) {
  PlayerList players = grid(2, 2, "photo ");
  for (const std::string& name : grid(4, 4, "mask ").names) players.names.push_back(name);
  EXPECT_EQ(Places(players).name(0), "photo: top left");
  EXPECT_EQ(Places(players).name(4), "mask: row 1, column 1");
}

TEST(Places, segments_say_where_they_lie) {
  PlayerList players{"superpixels:2", {"s0", "s1"}, {}, {0, 0, 0, -1, -1, -1, 1, 1, 1}};  // 3 x 3 pixels
  EXPECT_EQ(names_of(players, 3), "region 1 (top); region 2 (bottom)");
}

TEST(Places, tokens_are_their_text) {
  const PlayerList players{"positions", {"0 good", "1 not", "2 good", "3 #41"}, {"id 7", "id 8", "id 7", "id 41"}, {}};
  EXPECT_EQ(names_of(players), "“good” (place 1); “not”; “good” (place 3); token 41");
  const PlayerList table{"columns", {"1 room"}, {"4"}, {}};  // a column of that name
  EXPECT_EQ(Places(table).text(0), "1 room = 4");
}

TEST(Places, sentences_get_them_too) {
  const PlayerList players = grid(2, 3);
  EXPECT_EQ(with_place_names("r0c0, r1c2 and r9c9 (xr0c0)", players), "“top left”, “bottom right” and r9c9 (xr0c0)");
  EXPECT_EQ(with_place_names("r0c0", {"columns", {"a"}, {}, {}}), "r0c0");
  EXPECT_EQ(with_place_names("", players), "");
}

TEST(Places, parts_have_names_by_kind) {
  EXPECT_EQ(counted_parts(RowKind::image, grid(2, 2)), "4 regions");
  EXPECT_EQ(counted_parts(RowKind::table, {"columns", {"a"}, {}, {}}), "1 column");
  EXPECT_EQ(counted_parts(RowKind::series, {"segments:2", {"a", "b"}, {}, {}}), "2 stretches");
  EXPECT_EQ(counted_parts(RowKind::image, {"groups:g.json", {"heel", "sole"}, {}, {}}), "2 groups");
}

TEST(Numbers, for_everybody_have_few_digits) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{{0, "0"},
                                                                               {1.23456, "1.23"},
                                                                               {-0.5, "-0.5"},
                                                                               {100, "100"},
                                                                               {288.99, "289"},
                                                                               {12345, "12,300"},
                                                                               {-1234567, "-1,230,000"},
                                                                               {0.000123456, "0.000123"},
                                                                               {1e-30, "1.00e-30"},
                                                                               {9.999, "10"}}) {
    EXPECT_EQ(plain_number(value), text);
  }
  EXPECT_EQ(plain_number(std::nullopt), "not known");
  EXPECT_EQ(plain_signed_number(2.0), "+2");
  EXPECT_EQ(plain_beside(-0.528, 250), "-1");
  EXPECT_EQ(plain_beside(0.004, 2.5), "0");
  EXPECT_EQ(plain_beside(0.004, 0), "+0.004");
}

}  // namespace
}  // namespace ascribe::core::page
