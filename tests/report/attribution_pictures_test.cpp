#include "report/attribution_pictures.h"

#include "study/pixels.h"

#include <gtest/gtest.h>

#include "draw/diverging.h"
#include "support/errors.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

// A picture of 2 x 2 pixels with three channels; what a method says of its twelve elements.
class Maps : public testing::Test {
 protected:
  Maps() {
    const ImageShape shape{PixelLayout::chw, 3, 2, 2, 0};
    players_ = make_players({"pixels", {3, 2, 2}, shape, {}, nullptr});
    elements_.title = "By elements";
    masks_.title = "By players";
    masks_.players = true;
    attribution_.values = {1, 2, 3, -4};
    attribution_.elements = Tensor::of<double>({3, 2, 2}, {1, 2, 3, -4, 1, 2, 3, -4, 1, 2, 3, -4});
    attribution_.output = 5;
    attribution_.residual = 3;
    input_ = Image{2, 2, 1, {255, 255, 255, 255}, false};
  }
  AttributionPictures pictures() const {
    return {"a <title>", players_, {"p", "q", "r", "s"}, input_, {{elements_, attribution_}, {masks_, attribution_}}};
  }

  Players players_;
  Method elements_, masks_;
  Attribution attribution_;
  std::optional<Image> input_;
};

TEST_F(Maps, AddUpTheChannelsButShowAPlayersValueOnce) {
  EXPECT_EQ(study::pixel_values(elements_, attribution_, players_), (PixelValues{3, 6, 9, -12}));
  EXPECT_EQ(study::pixel_values(masks_, attribution_, players_), (PixelValues{1, 2, 3, -4}));
  for (int c = 0; c < 3; ++c) players_.owner[static_cast<size_t>(4 * c + 3)] = -1;
  EXPECT_EQ(study::pixel_values(masks_, attribution_, players_)[3], std::nullopt);
}

TEST_F(Maps, HaveTheDarkestColourAtTheLimit) {
  const Image map = attribution_map(pictures(), 1);
  const Rgb full = diverging(-1), half = diverging(0.5);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(map.at(map.height - 1, map.width - 1, c), full[c], 1e-3);  // -4 of 4, on white
    EXPECT_NEAR(map.at(0, map.width - 1, c), half[c], 1e-3);
  }
  EXPECT_EQ(map.width, 2 * enlargement(2, 2));
}

TEST_F(Maps, TheSheetHasTheInputAndEveryMethodWithItsLimit) {
  const std::string svg = contact_sheet_svg(pictures());
  EXPECT_EQ(occurrences(svg, "data:image/png;base64,"), 3U);
  for (const char* part : {">Input<", ">By elements<", ">By players<", ">±12<", ">±4<", "a &lt;title&gt;"}) {
    EXPECT_EQ(occurrences(svg, part), 1U) << part;
  }
}

TEST_F(Maps, OneMethodSaysWhatItAddsUpTo) {
  const std::string svg = attribution_svg(pictures(), 1);
  EXPECT_NE(svg.find("By players: sum +2 of f(x) - f(b) = +5, residual +3"), std::string::npos) << svg.substr(0, 900);
  EXPECT_NE(svg.find(">+4<"), std::string::npos);
  EXPECT_NE(svg.find(">-4<"), std::string::npos);
}

TEST_F(Maps, WithoutAnImageThereAreBars) {
  input_.reset();
  attribution_.standard_errors = {0.1, 0.2, 0.3, 0.5};
  const std::string one = attribution_svg(pictures(), 0);
  EXPECT_LT(one.find(">s<"), one.find(">r<"));  // the largest first
  EXPECT_NE(one.find("95 % intervals up to ±0.98"), std::string::npos);
  const std::string sheet = contact_sheet_svg(pictures());
  EXPECT_EQ(occurrences(sheet, "data:image/png"), 0U);
  EXPECT_EQ(occurrences(sheet, ">p<"), 1U);  // the names stand once for a line of panels
  EXPECT_EQ(occurrences(sheet, ">±4"), 2U);
}

TEST_F(Maps, AnImageOfAnotherSizeIsABug) {
  input_ = Image{1, 1, 1, {0}, false};
  expect_error(ErrorKind::internal, "size", [&] { contact_sheet_svg(pictures()); });
}

TEST(RobustLimit, LeavesOutTheFewLargest) {
  PixelValues values(1000, 0.5);
  values[3] = 100;
  values[700] = -80;
  EXPECT_EQ(robust_limit(values), 0.5);
  EXPECT_EQ(robust_limit({1.0, -3.0, std::nullopt}), 3);
  PixelValues sparse(1000, 0.0);
  sparse[5] = -7;
  EXPECT_EQ(robust_limit(sparse), 7);
  EXPECT_EQ(robust_limit({}), 0);
}

}  // namespace
}  // namespace ascribe::core
