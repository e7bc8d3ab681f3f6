#include "data/image.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <zlib.h>

#include "data/resize.h"
#include "support/errors.h"
#include "support/pictures.h"

namespace ascribe::core {
namespace {

TEST(Png, GrayAndColourPixelsAreReadInOrder) {
  const Image gray = decode_image(make_png({2, 3, PNG_COLOR_TYPE_GRAY, 8, {0, 10, 20, 30, 40, 255}}), "g.png");
  EXPECT_EQ(gray.height, 2);
  EXPECT_EQ(gray.width, 3);
  EXPECT_EQ(gray.channels, 1);
  EXPECT_EQ(gray.pixels, (std::vector<float>{0, 10, 20, 30, 40, 255}));
  const Image color = decode_image(make_png({1, 2, PNG_COLOR_TYPE_RGB, 8, {1, 2, 3, 4, 5, 6}}), "c.png");
  EXPECT_EQ(color.channels, 3);
  EXPECT_EQ(color.pixels, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(color.transparent);
}

TEST(Png, SixteenBitsKeepTheirFractions) {
  // 0x0101 = 257 is one step of 255; 0x0180 = 384 lies between
  const Image image = decode_image(make_png({1, 2, PNG_COLOR_TYPE_GRAY, 16, {0x01, 0x01, 0x01, 0x80}}), "g.png");
  EXPECT_FLOAT_EQ(image.pixels[0], 1.0F);
  EXPECT_FLOAT_EQ(image.pixels[1], 384.0F / 257.0F);
}

TEST(Png, FewerThanEightBitsAreStretched) {
  const Image image = decode_image(make_png({1, 8, PNG_COLOR_TYPE_GRAY, 1, {0b10100000}}), "bw.png");
  EXPECT_EQ(image.pixels, (std::vector<float>{255, 0, 255, 0, 0, 0, 0, 0}));
}

TEST(Png, PaletteEntriesAreLookedUp) {
  Picture picture{1, 2, PNG_COLOR_TYPE_PALETTE, 8, {1, 0}};
  picture.palette = {{10, 20, 30}, {40, 50, 60}};
  const Image image = decode_image(make_png(picture), "p.png");
  EXPECT_EQ(image.pixels, (std::vector<float>{40, 50, 60, 10, 20, 30}));
}

TEST(Png, TransparentPixelsLieOnWhite) {
  const Image image =
      decode_image(make_png({1, 3, PNG_COLOR_TYPE_RGB_ALPHA, 8, {0, 0, 0, 0, 9, 9, 9, 255, 0, 0, 0, 51}}), "a.png");
  EXPECT_TRUE(image.transparent);
  EXPECT_EQ(image.channels, 3);
  EXPECT_EQ(image.pixels[0], 255.0F);
  EXPECT_EQ(image.pixels[3], 9.0F);
  EXPECT_NEAR(image.pixels[6], 255.0 * 0.8, 1e-4);
}

TEST(Png, EveryTruncationIsRefused) {
  const std::string whole = make_png({2, 3, PNG_COLOR_TYPE_RGB, 8, std::vector<uint8_t>(18, 7)});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(error_of([&] { decode_image(whole.substr(0, size), "a.png"); }).has_value()) << size;
  }
}

TEST(Png, EveryFlippedByteIsReadOrRefusedButNeverCrashes) {
  const std::string whole = make_png({2, 3, PNG_COLOR_TYPE_RGB, 8, std::vector<uint8_t>(18, 7)});
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0xFF);
    refused += error_of([&] { decode_image(bytes, "a.png"); }).has_value() ? 1 : 0;
  }
  EXPECT_GT(refused, 50);
}

TEST(Png, AHugeClaimedSizeIsRefusedBeforeAllocation) {
  expect_error(ErrorKind::io, "too large", [] { decode_image(png_header(60000, 60000), "bomb.png"); });
  // Within the limit on pixels, but no deflate stream this short can hold it.
  expect_error(ErrorKind::io, "damaged", [] { decode_image(png_header(8000, 8000), "bomb.png"); });
}

std::string deflated(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
            content.size(), 9);
  packed.resize(size);
  return packed;
}

TEST(Png, WhatIsNotThePictureIsPassedOver) {
  using namespace std::string_literals;
  const std::string plain = make_png({1, 2, PNG_COLOR_TYPE_GRAY, 8, {3, 200}}), nonsense = "k\0\0not deflated"s;
  // libpng would take 4 MB for each of these, and complain of the others.
  std::string chunks = png_chunk("iCCP", nonsense) + png_chunk("iTXt", "k\0\1\0\0\0"s + deflated("hello"));
  const std::string text = png_chunk("zTXt", "k\0\0"s + deflated(std::string(4000000, 'a')));
  for (int i = 0; i < 100; ++i) chunks += text;
  for (const char* name : {"gAMA", "cHRM", "sRGB", "bKGD", "pHYs", "tIME", "tEXt", "abCd"}) {
    chunks += png_chunk(name, "x");
  }
  EXPECT_EQ(decode_image(with_chunks(plain, chunks), "a.png").pixels, decode_image(plain, "a.png").pixels);
  expect_error(ErrorKind::io, "damaged", [&] { decode_image(with_chunks(plain, png_chunk("ABCD", "")), "a.png"); });
}

TEST(Png, WhatFollowsTheLastRowIsNotUnpacked) {
  const std::string whole = make_png({1, 2, PNG_COLOR_TYPE_GRAY, 8, {3, 200}});
  const size_t pixels = whole.find("IDAT") - 4, end = whole.find("IEND") - 4;
  // The row behind its filter, and some that nobody asked for.
  const auto with_excess = [&](size_t bytes) {
    std::string rows(bytes, '\0');
    rows[1] = 3, rows[2] = '\xc8';
    return whole.substr(0, pixels) + png_chunk("IDAT", deflated(rows)) + whole.substr(end);
  };
  EXPECT_EQ(decode_image(with_excess(100), "a.png").pixels, (std::vector<float>{3, 200}));
  const std::string large = with_excess(size_t{1} << 26);
  EXPECT_LT(large.size(), 70000U);
  expect_error(ErrorKind::io, "there is more than its pixels", [&] { decode_image(large, "a.png"); });
}

TEST(Png, DamageOfThePixelsIsFoundByTheirChecksum) {
  std::string bytes = make_png({1, 2, PNG_COLOR_TYPE_GRAY, 8, {3, 200}});
  bytes[bytes.find("IEND") - 5] ^= 1;
  expect_error(ErrorKind::io, "a checksum is wrong", [&] { decode_image(bytes, "a.png"); });
}

TEST(Jpeg, FlatColoursSurviveCompression) {
  const Image image = decode_image(make_jpeg(16, 24, 3, {200, 100, 50}), "a.jpg");
  EXPECT_EQ(image.height, 16);
  EXPECT_EQ(image.width, 24);
  ASSERT_EQ(image.channels, 3);
  EXPECT_NEAR(image.at(5, 20, 0), 200, 2);
  EXPECT_NEAR(image.at(5, 20, 1), 100, 2);
  EXPECT_NEAR(image.at(5, 20, 2), 50, 2);
}

TEST(Jpeg, GrayFilesHaveOneChannel) {
  const Image image = decode_image(make_jpeg(8, 8, 1, {77}), "a.jpg");
  EXPECT_EQ(image.channels, 1);
  EXPECT_NEAR(image.at(3, 3, 0), 77, 1);
}

TEST(Jpeg, InksBecomeColours) {
  // Written by libjpeg with Adobe's marker: stored values are 255 - ink.
  const Image image = decode_image(make_jpeg(8, 8, 4, {255, 128, 0, 255}), "a.jpg");
  ASSERT_EQ(image.channels, 3);
  EXPECT_NEAR(image.at(3, 3, 0), 255, 2);
  EXPECT_NEAR(image.at(3, 3, 1), 128, 2);
  EXPECT_NEAR(image.at(3, 3, 2), 0, 2);
}

TEST(Jpeg, EveryTruncationIsRefused) {
  const std::string whole = make_jpeg(16, 24, 3, {200, 100, 50});
  for (size_t size = 0; size + 2 < whole.size(); ++size) {  // the last two bytes only say "end"
    EXPECT_TRUE(error_of([&] { decode_image(whole.substr(0, size), "a.jpg"); }).has_value()) << size;
  }
}

TEST(Jpeg, AHugeClaimedSizeIsRefusedBeforeAllocation) {
  std::string bytes = make_jpeg(8, 8, 1, {77});
  const size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes[frame + 5] = bytes[frame + 7] = '\xf0';  // 61440 and more
  expect_error(ErrorKind::io, "too large", [&] { decode_image(bytes, "bomb.jpg"); });
}

TEST(Jpeg, ManyScansOfALargePictureAreRefused) {
  EXPECT_NEAR(decode_image(make_jpeg_of_scans(16, 200), "a.jpg").pixels[5], 77, 1);
  expect_error(ErrorKind::io, "more than 500 scans", [] { decode_image(make_jpeg_of_scans(16, 600), "a.jpg"); });
  const std::string large = make_jpeg_of_scans(4096, 100);
  EXPECT_LT(large.size(), 50000U);
  expect_error(ErrorKind::io, "more than 7", [&] { decode_image(large, "a.jpg"); });
}

TEST(Image, OtherFilesAreRefused) {
  expect_error(ErrorKind::io, "not an image", [] { decode_image("GIF89a", "a.gif"); });
}

TEST(Image, LumaWeighsGreenMost) {
  const Image gray = to_gray(Image{1, 3, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255}, false});
  EXPECT_EQ(gray.pixels, (std::vector<float>{76, 150, 29}));  // 0.299, 0.587, 0.114 of 255, rounded
}

TEST(Resize, TheSameSizeChangesNothing) {
  const Image image{2, 2, 1, {1, 2, 3, 4}, false};
  EXPECT_EQ(resize(image, 2, 2).pixels, image.pixels);
}

TEST(Resize, HalvingAveragesWithATriangle) {
  // Reduction by 2: support 2, weights 1/4, 3/4, 3/4, 1/4 of the inputs around a centre;
  // at the border the outer tap is missing: (3*0 + 3*100 + 1*200) / 7.
  const Image image{1, 4, 1, {0, 100, 200, 255}, false};
  const Image half = resize(image, 1, 2);
  EXPECT_EQ(half.pixels[0], 71.0F);   // 500 / 7 = 71.43
  EXPECT_EQ(half.pixels[1], 209.0F);  // (100 + 3*200 + 3*255) / 7 = 209.29
}

TEST(Resize, DoublingInterpolates) {
  const Image image{1, 2, 1, {0, 100}, false};
  EXPECT_EQ(resize(image, 1, 4).pixels, (std::vector<float>{0, 25, 75, 100}));
}

TEST(Resize, FractionsOfSixteenBitImagesAreNotRounded) {
  const Image image{1, 2, 1, {0.5F, 100}, false};
  EXPECT_FLOAT_EQ(resize(image, 1, 4).pixels[1], 0.75F * 0.5F + 0.25F * 100);
}

TEST(Resize, ConstantsStayConstantAndRowsAreTreatedAsColumnsAre) {
  const Image image{5, 3, 3, std::vector<float>(45, 42), false};
  const Image other = resize(image, 7, 2);
  EXPECT_EQ(other.pixels, std::vector<float>(42, 42));
  const Image row = resize(Image{1, 4, 1, {0, 100, 200, 255}, false}, 1, 3);
  const Image column = resize(Image{4, 1, 1, {0, 100, 200, 255}, false}, 3, 1);
  EXPECT_EQ(row.pixels, column.pixels);
}

TEST(Resize, TheShortSideSetsTheScale) {
  const Image wide = resize_short_side(Image{2, 5, 1, std::vector<float>(10, 1), false}, 3);
  EXPECT_EQ(wide.height, 3);
  EXPECT_EQ(wide.width, 7);  // 3 * 5 / 2, rounded down
  const Image tall = resize_short_side(Image{5, 2, 1, std::vector<float>(10, 1), false}, 3);
  EXPECT_EQ(tall.height, 7);
  EXPECT_EQ(tall.width, 3);
}

TEST(Resize, TheCropIsTakenFromTheMiddle) {
  const Image image{3, 5, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, false};
  EXPECT_EQ(centre_crop(image, 1, 3).pixels, (std::vector<float>{6, 7, 8}));
  EXPECT_EQ(centre_crop(image, 3, 2).pixels[0], 2.0F);  // 1.5 rounds to the even 2
}

}  // namespace
}  // namespace ascribe::core
