#include "game/players.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

constexpr ImageShape kColor{PixelLayout::chw, 3, 4, 6, 0};

PlayersRequest color_image(const std::string& text) { return {text, {3, 4, 6}, kColor, {}, nullptr}; }

std::map<int32_t, int64_t> sizes_of(const Players& players) {
  std::map<int32_t, int64_t> sizes;
  for (const int32_t owner : players.owner) ++sizes[owner];
  return sizes;
}

std::vector<int32_t> owners(const Players& players) { return players.owner; }

TEST(Players, ElementsAreNumbersOfTheirOwn) {
  const Players players = make_players({"elements", {2, 3}, {}, {}, nullptr});
  EXPECT_EQ(owners(players), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(players.names[4], "(1,1)");
}

TEST(Players, PixelsOwnAllTheirChannels) {
  const Players players = make_players(color_image("pixels"));
  EXPECT_EQ(players.count(), 24);
  for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(players.owner[element_of(kColor, c, 1, 2)], 8);
  EXPECT_EQ(players.names[8], "r1c2");
}

TEST(Players, PixelsOfChannelsThatComeLastAreTheSame) {
  const ImageShape last{PixelLayout::hwc, 3, 4, 6, 0};
  const Players players = make_players({"pixels", {4, 6, 3}, last, {}, nullptr});
  EXPECT_EQ((std::vector<int32_t>{players.owner.begin() + 24, players.owner.begin() + 27}),
            (std::vector<int32_t>{8, 8, 8}));
}

TEST(Players, PatchesAtTheEdgeAreSmaller) {
  const Players players = make_players(color_image("patch:4"));
  EXPECT_EQ(players.names, (std::vector<std::string>{"r0c0", "r0c1"}));
  EXPECT_EQ(sizes_of(players), (std::map<int32_t, int64_t>{{0, 3 * 16}, {1, 3 * 8}}));
}

TEST(Players, StepsOfASeriesOwnAllTheirChannels) {
  const Shape row{5, 2};
  const Players steps = make_players({"time", row, series_shape(row, false), {}, nullptr});
  EXPECT_EQ(owners(steps), (std::vector<int32_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(steps.names[3], "step 3");
  EXPECT_FALSE(steps.image);
  const Players first = make_players({"time", {2, 5}, series_shape({2, 5}, true), {}, nullptr});
  EXPECT_EQ(owners(first), (std::vector<int32_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
}

TEST(Players, SegmentsOfASeriesFollowEachOther) {
  const Shape row{5, 2};
  for (const char* text : {"time:2", "patch:2"}) {
    const Players players = make_players({text, row, series_shape(row, false), {}, nullptr});
    EXPECT_EQ(owners(players), (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2}));
    EXPECT_EQ(players.names, (std::vector<std::string>{"steps 0 to 1", "steps 2 to 3", "step 4"}));
  }
}

TEST(Players, ChannelsOfASeriesHaveTheNamesOfTheColumns) {
  const Shape row{3, 2};
  const Players players = make_players({"channel", row, series_shape(row, false), {"wind", "rain"}, nullptr});
  EXPECT_EQ(owners(players), (std::vector<int32_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(players.names, (std::vector<std::string>{"wind", "rain"}));
  const Players elements = make_players({"", row, series_shape(row, false), {"wind", "rain"}, nullptr});
  EXPECT_EQ(elements.names[3], "rain step 1");
  const Players alone = make_players({"", {4}, series_shape({4}, true), {}, nullptr});
  EXPECT_EQ(alone.description, "time");
}

TEST(Players, SeriesAreNoImagesAndImagesNoSeries) {
  const Shape row{5, 2};
  for (const char* text : {"pixels", "grid:1x2", "superpixels:2"}) {
    expect_error(ErrorKind::argument, "series of 5 steps by 2 channels", [&] {
      make_players({text, row, series_shape(row, false), {}, nullptr});
    });
  }
  expect_error(ErrorKind::argument, "needs a series", [&] { make_players(color_image("time")); });
  expect_error(ErrorKind::argument, "K from 1 to 5", [&] {
    make_players({"time:6", row, series_shape(row, false), {}, nullptr});
  });
}

TEST(Players, GridCellsAreAsEqualAsPixelsAllow) {
  const Players players = make_players({"grid:3x4", {10, 10}, ImageShape{PixelLayout::chw, 1, 10, 10, 0}, {}, nullptr});
  EXPECT_EQ(players.count(), 12);
  const auto sizes = sizes_of(players);
  EXPECT_EQ(sizes.size(), 12U);
  for (const auto& [player, size] : sizes) EXPECT_TRUE(size >= 3 * 2 && size <= 4 * 3) << size;
  EXPECT_EQ(players.owner[0], 0);
  EXPECT_EQ(players.owner[99], 11);
}

TEST(Players, ATiledGridIsItsPatches) {
  EXPECT_EQ(owners(make_players(color_image("grid:2x3"))), owners(make_players(color_image("patch:2"))));
}

TEST(Players, AFlatRowCountsAsASquareImage) {
  const ImageShape flat{PixelLayout::chw, 1, 0, 0, 784};
  const Players players = make_players({"grid:2x2", {784}, flat, {}, nullptr});
  EXPECT_EQ(players.image->height, 28);
  EXPECT_EQ(sizes_of(players), (std::map<int32_t, int64_t>{{0, 196}, {1, 196}, {2, 196}, {3, 196}}));
  const ImageShape color{PixelLayout::chw, 1, 0, 0, 3 * 32 * 32};
  EXPECT_EQ(make_players({"pixels", {3072}, color, {}, nullptr}).count(), 1024);
}

TEST(Players, AFlatRowIsAnImageOnlyIfSomebodySaysSo) {
  const ImageShape flat{PixelLayout::chw, 1, 0, 0, 12};  // 2 x 2 pixels of three channels would fit
  EXPECT_FALSE(make_players({"", {12}, flat, {}, nullptr}).image);
  EXPECT_FALSE(make_players({"elements", {12}, flat, {}, nullptr}).image);
  EXPECT_TRUE(make_players({"pixels", {12}, flat, {}, nullptr}).image);
}

TEST(Players, PixelsOfTwoChannelsOwnBoth) {
  const ImageShape two{PixelLayout::chw, 2, 2, 3, 0};
  const Players players = make_players({"pixels", {2, 2, 3}, two, {}, nullptr});
  EXPECT_EQ(players.count(), 6);
  EXPECT_EQ(players.owner[1], players.owner[7]);
}

TEST(Players, DefaultsFollowTheData) {
  EXPECT_EQ(make_players(color_image("")).description, "pixels");
  EXPECT_EQ(make_players({"", {2}, {}, {"age", "height"}, nullptr}).names, (std::vector<std::string>{"age", "height"}));
  EXPECT_EQ(make_players({"", {5}, ImageShape{PixelLayout::chw, 1, 0, 0, 5}, {}, nullptr}).description, "elements");
}

TEST(Players, SuperpixelsFollowTheRow) {
  Tensor x(DType::f32, {3, 4, 6});
  auto values = x.mutable_data<float>();
  for (int64_t i = 0; i < 72; ++i) values[i] = i % 6 < 2 ? 0.0F : 1.0F;
  PlayersRequest request = color_image("superpixels:2");
  request.x = &x;
  const Players players = make_players(request);
  EXPECT_EQ(players.names, (std::vector<std::string>{"s0", "s1"}));
  for (int64_t i = 0; i < 72; ++i) EXPECT_EQ(players.owner[i], i % 6 < 2 ? 0 : 1) << i;
}

TEST(Players, NonsenseIsRefused) {
  for (const char* text : {"patch:0", "patch:7", "patch:", "patch:2x", "grid:0x2", "grid:5x1", "grid:2", "grid:2x2x2",
                           "superpixels:0", "superpixels:25", "pixels:2", "elements:", "cells", ":", "groups:"}) {
    Tensor x(DType::f32, {3, 4, 6});
    PlayersRequest request = color_image(text);
    request.x = &x;
    expect_error(ErrorKind::argument, "expected", [&] { make_players(request); });
  }
  expect_error(ErrorKind::argument, "needs an image", [] { make_players({"grid:2x2", {5}, {}, {}, nullptr}); });
  expect_error(ErrorKind::argument, "needs an image", [] {
    make_players({"pixels", {5}, ImageShape{PixelLayout::chw, 1, 0, 0, 5}, {}, nullptr});
  });
}

// ---- groups ----

class Groups : public testing::Test {
 protected:
  Players read(const std::string& json) {
    const std::string path = folder_.write("groups.json", json);
    return make_players({"groups:" + path, {6}, {}, {"a", "b", "c", "d", "e", "f"}, nullptr});
  }
  TemporaryFolder folder_;
};

TEST_F(Groups, TakeNumbersRangesAndColumnNames) {
  const Players players = read(R"({"first": [0, "c"], "second": ["3:5"]})");
  EXPECT_EQ(players.names, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(owners(players), (std::vector<int32_t>{0, -1, 0, 1, 1, -1}));
}

TEST_F(Groups, KeepTheOrderOfTheFile) {
  EXPECT_EQ(read(R"({"z": [0], "a": [1]})").names, (std::vector<std::string>{"z", "a"}));
}

TEST_F(Groups, AnElementBelongsToOneGroup) {
  expect_error(ErrorKind::io, "element 3 is in the group 'x' and again in 'y'",
               [&] { read(R"({"x": [3], "y": ["2:5"]})"); });
  expect_error(ErrorKind::io, "element 1 is in the group 'x' and again in 'x'", [&] { read(R"({"x": [1, "b"]})"); });
}

TEST_F(Groups, BadFilesAreOneClearError) {
  for (const char* json : {"",
                           "{",
                           "[]",
                           "{}",
                           "3",
                           "null",
                           R"({"x": []})",
                           R"({"x": 1})",
                           R"({"x": [6]})",
                           R"({"x": [-1]})",
                           R"({"x": [1.5]})",
                           R"({"x": [18446744073709551615]})",
                           R"({"x": ["z"]})",
                           R"({"x": ["2:2"]})",
                           R"({"x": ["0:7"]})",
                           R"({"x": ["-1:2"]})",
                           R"({"x": [[0]]})",
                           R"({"x": [null]})",
                           R"({"x": [0], "x": [1]})",
                           R"({"x": [1e999]})",
                           "{\"x\": [\"\xff\"]}"}) {
    const auto error = error_of([&] { read(json); });
    ASSERT_TRUE(error.has_value()) << json;
    EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
  }
  expect_error(ErrorKind::io, "", [] { make_players({"groups:/no/such/file.json", {6}, {}, {}, nullptr}); });
}

TEST_F(Groups, ErrorsSayWhatIsWrong) {
  const auto refuse = [&](const std::string& json, const std::string& part) {
    expect_error(ErrorKind::io, part, [&] { read(json); });
  };
  refuse("{", "groups.json] this is not JSON; reading stopped at character 2");
  refuse("[]", "there are no groups; expected a JSON object like {\"left\": [0, 1], \"right\": [\"2:4\"]}");
  refuse(R"({"x": []})", "the group 'x' is an empty list; expected a list of elements");
  refuse(R"({"x": 1})", "the group 'x' is a number; expected a list of elements");
  refuse(R"({"x": [[0]]})", "the group 'x' holds a list; expected numbers from 0 to 5");
  refuse(R"({"x": [18446744073709551615]})", "holds 18446744073709551615");
  refuse(R"({"x": [0], "x": [1]})", "an object has the key 'x' twice");
  refuse(R"({"x": [1e999]})", "a number is too large at character");
}

// A parser that calls itself would run out of stack.
TEST_F(Groups, AMillionListsInOneAnotherAreRefused) {
  const std::string deep(1000000, '[');
  for (const std::string& json : {deep, "{\"x\": " + deep, "{\"x\": " + deep + std::string(1000000, ']') + "}"}) {
    expect_error(ErrorKind::io, "groups.json] lists and objects are nested more than 64 deep", [&] { read(json); });
  }
}

}  // namespace
}  // namespace ascribe::core
