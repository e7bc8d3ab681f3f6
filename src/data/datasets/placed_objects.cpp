#include "data/datasets/placed_objects.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "data/resize.h"

namespace ascribe::core {

namespace {

constexpr int64_t kImage = 28, kSmallest = 18, kLargest = 30;
constexpr int64_t kFragments = 14, kFragment = 9;
constexpr int64_t kPool = 256;  // images that fragments are cut from: the first of the set
constexpr double kDark = 0.15 * 255, kLight = 0.55 * 255, kNoise = 0.1 * 255;
constexpr float kVisible = 0.1F * 255;  // fainter pixels of an image are not pasted

// Numbers drawn one after the other.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t stream) : random_(seed, stream) {}
  double between(double low, double high) { return low + (high - low) * random_.uniform(next_++); }
  int64_t whole(int64_t low, int64_t high) {  // both may come
    return low + static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(high - low + 1)));
  }

 private:
  Random random_;
  uint64_t next_ = 0;
};

Image grey_image(const Sample& sample) {
  Image image;
  if (sample.source.image) {
    image = to_gray(*sample.source.image);
  } else if (sample.source.pixels) {
    const Tensor values = sample.source.pixels->cast(DType::f32);
    const auto data = values.data<float>();
    image = {values.shape()[1], values.shape()[2], 1, {data.begin(), data.end()}, false};
  }
  if (image.height != kImage || image.width != kImage) {
    fail(ErrorKind::unsupported, sample.name, "objects are placed from images of {0} x {0} pixels; got {1} x {2}",
         kImage, image.height, image.width);
  }
  return image;
}

Image part_of(const Image& image, int64_t top, int64_t left, int64_t side) {
  Image part{side, side, 1, {}, false};
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x) part.pixels.push_back(image.at(top + y, left + x, 0));
  }
  return part;
}

// Lays the visible pixels of a piece over the canvas; the tightest box around them.
Box paste(Image& canvas, const Image& piece, int64_t top, int64_t left) {
  int64_t x0 = canvas.width, y0 = canvas.height, x1 = 0, y1 = 0;
  for (int64_t y = 0; y < piece.height; ++y) {
    for (int64_t x = 0; x < piece.width; ++x) {
      if (piece.at(y, x, 0) <= kVisible) continue;
      canvas.pixels[static_cast<size_t>((top + y) * canvas.width + left + x)] = piece.at(y, x, 0);
      x0 = std::min(x0, left + x), x1 = std::max(x1, left + x + 1);
      y0 = std::min(y0, top + y), y1 = std::max(y1, top + y + 1);
    }
  }
  return {static_cast<double>(x0), static_cast<double>(y0), static_cast<double>(x1), static_cast<double>(y1)};
}

Image noisy_grey(Draws& draws) {
  Image canvas{kCanvas, kCanvas, 1, {}, false};
  const double grey = draws.between(kDark, kLight);
  for (int64_t i = 0; i < kCanvas * kCanvas; ++i) {
    canvas.pixels.push_back(static_cast<float>(std::round(grey + draws.between(-kNoise, kNoise))));
  }
  return canvas;
}

class PlacedObjects : public Dataset {
 public:
  PlacedObjects(std::unique_ptr<Dataset> images, uint64_t seed) : images_(std::move(images)), seed_(seed) {
    for (int64_t i = 0; i < std::min(kPool, images_->size()); ++i) pool_.push_back(grey_image(images_->read(i)));
    description = fmt::format("objects placed on clutter of {0} x {0} pixels, seed {1}, from {2}", kCanvas, seed,
                              images_->description);
    labels = images_->labels;
    labelled = images_->labelled;
    boxed = true;
  }

  int64_t size() const override { return images_->size(); }

  Sample read(int64_t index) override {
    Sample sample = images_->read(index);
    Image object = grey_image(sample);
    Draws draws(seed_, static_cast<uint64_t>(index));
    const int64_t side = draws.whole(kSmallest, kLargest);
    object = resize(object, side, side);
    Image canvas = clutter(draws);
    const int64_t top = draws.whole(0, kCanvas - side), left = draws.whole(0, kCanvas - side);
    const Box box = paste(canvas, object, top, left);
    if (box.x0 < box.x1) sample.boxes = {box};  // an image of nothing has no box
    sample.name += ", placed";
    sample.source.pixels.reset();
    sample.source.image = std::move(canvas);
    return sample;
  }

 private:
  Image clutter(Draws& draws) const {
    Image canvas = noisy_grey(draws);
    for (int64_t i = 0; i < kFragments; ++i) {
      const auto which = static_cast<size_t>(draws.whole(0, std::ssize(pool_) - 1));
      const int64_t y = draws.whole(0, kImage - kFragment), x = draws.whole(0, kImage - kFragment);
      const int64_t top = draws.whole(0, kCanvas - kFragment), left = draws.whole(0, kCanvas - kFragment);
      paste(canvas, part_of(pool_[which], y, x, kFragment), top, left);
    }
    return canvas;
  }

  std::unique_ptr<Dataset> images_;
  uint64_t seed_;
  std::vector<Image> pool_;
};

}  // namespace

std::unique_ptr<Dataset> place_objects(std::unique_ptr<Dataset> images, uint64_t seed) {
  return std::make_unique<PlacedObjects>(std::move(images), seed);
}

}  // namespace ascribe::core
