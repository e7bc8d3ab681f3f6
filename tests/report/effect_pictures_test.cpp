#include "report/effect_pictures.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "data/png.h"
#include "draw/diverging.h"
#include "draw/svg.h"
#include "support/errors.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

class Pictures : public testing::Test {
 protected:
  Pictures() {
    const ImageShape shape{PixelLayout::chw, 1, 4, 6, 0};
    players_ = make_players({"grid:2x2", {4, 6}, shape, {}, nullptr});
    Dividends dividends{4, std::vector<double>(16, 0.0), 0, 16};
    dividends.values[0b0001] = 2;
    dividends.values[0b0010] = -4;
    dividends.values[0b0011] = 1.5;
    dividends.values[0b1100] = -0.5;
    dividends.values[0b0111] = 0.25;
    summary_ = summarize(dividends, {});
    input_ = Image{4, 6, 1, std::vector<float>(24, 255.0F), false};
  }
  EffectPictures pictures(const std::string& title = "a <b> & \"c\"") const {
    return {summary_, players_, input_, title};
  }

  Players players_;
  EffectSummary summary_;
  Image input_;
};

TEST_F(Pictures, SmallImagesAreEnlargedByAWholeNumber) {
  EXPECT_EQ(enlargement(28, 28), 16);
  EXPECT_EQ(enlargement(224, 224), 2);
  EXPECT_EQ(enlargement(1000, 20), 1);
  const Image map = independent_map(pictures());
  const int64_t factor = enlargement(4, 6);
  EXPECT_EQ(map.height, 4 * factor);
  EXPECT_EQ(map.width, 6 * factor);
}

TEST_F(Pictures, TheMapHasTheColoursOfTheScaleAtItsLimits) {
  EXPECT_EQ(symmetric_limit(summary_.independent), 4);
  const Image map = independent_map(pictures());
  const Rgb full = diverging(-1), half = diverging(0.5), none = diverging(0);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(map.at(0, map.width - 1, c), full[c], 1e-3);  // -4 of 4, on white
    EXPECT_NEAR(map.at(0, 0, c), half[c], 1e-3);
    EXPECT_NEAR(map.at(map.height - 1, 0, c), none[c], 1e-3);
  }
}

TEST_F(Pictures, TheScaleSaysItsLimitsAndTextIsEscaped) {
  const std::string svg = independent_svg(pictures());
  EXPECT_NE(svg.find(">+4<"), std::string::npos);
  EXPECT_NE(svg.find(">-4<"), std::string::npos);
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "data:image/png;base64,"), 2U);
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
}

TEST_F(Pictures, PairsAreCurvesInTheColourOfTheirSign) {
  const std::string svg = pairs_svg(pictures());
  EXPECT_NE(svg.find("r0c0 &amp; r0c1"), std::string::npos);
  EXPECT_NE(svg.find("+1.5"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "<path d=\"M"), 3U);  // two pairs and the outlines of the players
}

TEST_F(Pictures, TriplesHaveAnImageEach) {
  const std::string svg = triples_svg(pictures());
  EXPECT_EQ(occurrences(svg, "data:image/png;base64,"), 1U);
  EXPECT_NE(svg.find("r0c0 &amp; r0c1 &amp; r1c0"), std::string::npos);
}

TEST_F(Pictures, NoInteractionsAreSaidToBeNone) {
  summary_.pairs.clear();
  summary_.triples.clear();
  EXPECT_NE(pairs_svg(pictures()).find("none beyond rounding"), std::string::npos);
  EXPECT_NE(triples_svg(pictures()).find("none beyond rounding"), std::string::npos);
  EXPECT_NE(effect_bars_svg(pictures(), {}, "x").find("none beyond rounding"), std::string::npos);
}

TEST_F(Pictures, OrdersHaveTwoBarsEach) {
  const std::string svg = orders_svg(pictures());
  EXPECT_EQ(occurrences(svg, "<rect x="), 2U * 4U);
}

TEST_F(Pictures, AnImageOfAnotherSizeIsABug) {
  input_ = Image{2, 2, 1, {0, 0, 0, 0}, false};
  expect_error(ErrorKind::internal, "size", [&] { independent_svg(pictures()); });
}

TEST(Diverging, IsWhiteAtZeroAndDarkensToBothSides) {
  EXPECT_EQ(hex(diverging(0)), "#ffffff");
  EXPECT_EQ(diverging(5), diverging(1));
  double last = 3 * 255;
  for (const double t : {0.1, 0.3, 0.5, 0.8, 1.0}) {
    for (const double sign : {1.0, -1.0}) {
      const Rgb color = diverging(sign * t);
      EXPECT_LT(color[0] + color[1] + color[2], last);
    }
    const Rgb color = diverging(t);
    last = std::max(color[0] + color[1] + color[2], diverging(-t)[0] + diverging(-t)[1] + diverging(-t)[2]);
  }
}

TEST(Svg, Base64IsTheCommonOne) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Png, WhatIsWrittenIsReadAgain) {
  const Image color{2, 3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 9, 9, 9}, false};
  const Image again = decode_png(encode_png(color), "picture");
  EXPECT_EQ(again.channels, 3);
  EXPECT_EQ(again.pixels, color.pixels);
  const Image gray{1, 2, 1, {-3.0F, 999.0F}, false};
  EXPECT_EQ(decode_png(encode_png(gray), "picture").pixels, (std::vector<float>{0, 255}));
}

TEST(PictureOf, UndoesThePreprocessing) {
  const Image image{2, 2, 3, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}, false};
  for (const char* how : {R"({"scale": "1/255", "mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.4]})",
                          R"({"scale": 2, "color": "bgr"})", R"({"layout": "nhwc"})"}) {
    const Preprocess preprocess = parse_preprocess(how);
    const bool last = preprocess.layout == PixelLayout::hwc;
    const Shape row = last ? Shape{2, 2, 3} : Shape{3, 2, 2};
    const Tensor x = preprocess_image(image, preprocess, row, DType::f64, "image");
    const Image again = picture_of(x, *image_shape(row, preprocess), preprocess);
    ASSERT_EQ(again.pixels.size(), image.pixels.size());
    for (size_t i = 0; i < again.pixels.size(); ++i) EXPECT_NEAR(again.pixels[i], image.pixels[i], 1e-3) << how;
  }
}

TEST(PictureOf, SpreadsNumbersOfUnknownOrigin) {
  const Tensor x = Tensor::of<double>({1, 2}, {-3, 5});
  EXPECT_EQ(picture_of(x, {PixelLayout::chw, 1, 1, 2, 0}, {}).pixels, (std::vector<float>{0, 255}));
}

}  // namespace
}  // namespace ascribe::core
