#include "data/datasets/placed_objects.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core {
namespace {

// White rectangles of known places on black, of one size.
class Rectangles : public Dataset {
 public:
  explicit Rectangles(int64_t side = 28, int64_t count = 40) : side_(side), count_(count) { labelled = true; }
  int64_t size() const override { return count_; }
  Sample read(int64_t index) override {
    std::vector<float> pixels(static_cast<size_t>(side_ * side_), 0.0F);
    for (int64_t y = 7; y < 21; ++y) {
      for (int64_t x = 0; x < side_; ++x) pixels[static_cast<size_t>(y * side_ + x)] = 255;
    }
    Sample sample;
    sample.name = fmt::format("row {}", index);
    sample.label = index % 10;
    sample.source.pixels = Tensor::of<float>({1, side_, side_}, pixels);
    return sample;
  }

 private:
  int64_t side_, count_;
};

const Image& image_of(const Sample& sample) { return *sample.source.image; }

TEST(PlacedObjects, TheBoxIsTightAroundTheObject) {
  const auto placed = place_objects(std::make_unique<Rectangles>(), 3);
  for (int64_t i = 0; i < 40; ++i) {
    const Sample sample = placed->read(i);
    ASSERT_EQ(sample.boxes.size(), 1U);
    const Box box = sample.boxes[0];
    // The rectangle is 28 x 14 pixels, scaled by 18/28 to 30/28; its edges may be faint.
    EXPECT_NEAR((box.x1 - box.x0) / (box.y1 - box.y0), 2, 0.35);
    EXPECT_GE(box.x1 - box.x0, 18);
    EXPECT_LE(box.x1 - box.x0, 30);
    for (const double x : {box.x0, box.x1 - 1}) {
      EXPECT_GT(image_of(sample).at(static_cast<int64_t>((box.y0 + box.y1) / 2), static_cast<int64_t>(x), 0), 200);
    }
    EXPECT_LT(box.area(), 0.33 * kCanvas * kCanvas);
    EXPECT_EQ(sample.label, i % 10);
  }
}

TEST(PlacedObjects, AreTheSameInAnyOrderAndDifferWithTheSeed) {
  const auto one = place_objects(std::make_unique<Rectangles>(), 3),
             two = place_objects(std::make_unique<Rectangles>(), 3);
  const auto other = place_objects(std::make_unique<Rectangles>(), 4);
  const Sample first = one->read(5);
  two->read(9);
  const Sample again = two->read(5);
  EXPECT_EQ(image_of(first).pixels, image_of(again).pixels);
  EXPECT_NE(image_of(first).pixels, image_of(other->read(5)).pixels);
  EXPECT_NE(image_of(first).pixels, image_of(one->read(6)).pixels);
}

TEST(PlacedObjects, TheBackgroundIsNeitherBlackNorEmpty) {
  const auto placed = place_objects(std::make_unique<Rectangles>(), 0);
  for (int64_t i = 0; i < 10; ++i) {
    const Sample sample = placed->read(i);
    const Image& image = image_of(sample);
    const Box box = sample.boxes[0];
    double bright = 0, outside = 0, least = 255;
    for (int64_t y = 0; y < kCanvas; ++y) {
      for (int64_t x = 0; x < kCanvas; ++x) {
        const auto xd = static_cast<double>(x), yd = static_cast<double>(y);
        if (xd >= box.x0 && xd < box.x1 && yd >= box.y0 && yd < box.y1) continue;
        ++outside;
        bright += image.at(y, x, 0) == 255 ? 1 : 0;
        least = std::min(least, static_cast<double>(image.at(y, x, 0)));
      }
    }
    EXPECT_GT(bright, 0.02 * outside) << "fragments are as bright as objects";
    EXPECT_GE(least, 12) << "0.15 less 0.1 of 255";
  }
}

TEST(PlacedObjects, RefusesImagesOfAnotherSize) {
  expect_error(ErrorKind::unsupported, "28 x 28", [] { place_objects(std::make_unique<Rectangles>(32), 0); });
}

}  // namespace
}  // namespace ascribe::core
