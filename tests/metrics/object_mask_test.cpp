#include "metrics/object_mask.h"

#include <gtest/gtest.h>

#include "data/box_in_row.h"

namespace ascribe::core {
namespace {

// A black picture with a white box, whole pixels.
Sample painted(int64_t height, int64_t width, const Box& box) {
  Image image{height, width, 1, std::vector<float>(static_cast<size_t>(height * width), 0), false};
  for (auto y = static_cast<int64_t>(box.y0); y < static_cast<int64_t>(box.y1); ++y) {
    for (auto x = static_cast<int64_t>(box.x0); x < static_cast<int64_t>(box.x1); ++x) {
      image.pixels[static_cast<size_t>(y * width + x)] = 255;
    }
  }
  Sample sample;
  sample.source.path = "painted";
  sample.source.image = std::move(image);
  sample.boxes = {box};
  return sample;
}

// The mask is where the preprocessed picture is more white than black. Pixels on the edge of the box may differ, where
// the resampling filter reaches over it; nothing else may.
void expect_mask_fits_picture(const Sample& sample, const Preprocess& preprocess, int64_t height, int64_t width) {
  const ImageShape shape{PixelLayout::chw, 1, height, width, 0};
  const Tensor row = preprocess_image(*sample.source.image, preprocess, {1, height, width}, DType::f64, "painted");
  const PixelMask mask = object_mask(sample, {shape, preprocess});
  ASSERT_EQ(std::ssize(mask), height * width);
  for (int64_t i = 0; i < row.size(); ++i) {
    if (row.at(i) > 1 && row.at(i) < 254) continue;
    EXPECT_EQ(mask[static_cast<size_t>(i)], row.at(i) > 1 ? 1 : 0) << i % width << ", " << i / width;
  }
}

Preprocess steps(std::vector<int64_t> resize, std::vector<int64_t> crop) {
  Preprocess preprocess;
  preprocess.resize = std::move(resize);
  preprocess.crop = std::move(crop);
  return preprocess;
}

TEST(ObjectMask, FollowsAPaintedBoxThroughResizeAndCrop) {
  const Sample wide = painted(61, 100, {30, 12, 71, 40}), tall = painted(100, 61, {10, 40, 33, 97});
  expect_mask_fits_picture(wide, {}, 61, 100);
  expect_mask_fits_picture(wide, steps({32}, {28, 28}), 28, 28);
  expect_mask_fits_picture(tall, steps({32}, {27, 28}), 27, 28);
  expect_mask_fits_picture(tall, steps({150}, {99, 120}), 99, 120);
  expect_mask_fits_picture(wide, steps({20, 50}, {}), 20, 50);
  expect_mask_fits_picture(wide, steps({}, {40, 40}), 40, 40);
}

TEST(ObjectMask, PixelsBelongByTheirCentre) {
  const ImageShape shape{PixelLayout::chw, 1, 3, 4, 0};
  Sample sample;
  sample.boxes = {{0.4, 0, 2.5, 1}, {2.6, 1.5, 9, 9}};
  EXPECT_EQ(object_mask(sample, {shape, {}}), (PixelMask{1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_NEAR(covered(object_mask(sample, {shape, {}})), 4.0 / 12, 1e-15);
}

TEST(ObjectMask, IsEmptyWhereTheCropLeavesNothing) {
  const Sample sample = painted(100, 100, {0, 0, 20, 20});
  const ImageShape shape{PixelLayout::chw, 1, 40, 40, 0};
  EXPECT_TRUE(object_mask(sample, {shape, steps({}, {40, 40})}).empty());
  EXPECT_FALSE(box_in_row({0, 0, 20, 20}, {100, 100}, steps({}, {40, 40})).has_value());
  EXPECT_EQ(covered({}), 0);
}

}  // namespace
}  // namespace ascribe::core
