// From pixels to what a model was trained on:
//   (scale * crop(resize(image)) - mean) / std   per channel, then layout.
// `unit` is x / 255, `imagenet` the usual ImageNet pipeline, `raw` leaves values alone;
// a JSON object says anything else: {resize, crop, scale, mean, std, layout, color}. The layouts tc and ct say that
// rows are series: steps in time by channels, or channels by steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/image.h"
#include "data/resize.h"
#include "tensor/tensor.h"

namespace ascribe::core {

enum class PixelLayout { chw, hwc };
enum class Color { rgb, bgr, gray };

struct Preprocess {
  std::string name = "raw";     // as notes call it
  std::vector<int64_t> resize;  // empty; {short side}; {height, width}
  std::vector<int64_t> crop;    // empty; {height, width}
  double scale = 1.0;
  std::vector<double> mean, std;      // empty, one value, or one per channel
  std::optional<PixelLayout> layout;  // of the model's input; otherwise seen from its shape
  bool series = false;                // the input is a series: [channels, steps] (chw) or [steps, channels] (hwc)
  std::optional<Color> color;         // otherwise rgb or gray as the shape has it

  bool changes_values() const { return scale != 1.0 || !mean.empty() || !std.empty(); }
};

// "unit", "imagenet", "raw", a JSON object, or the path of a file that holds one.
Preprocess parse_preprocess(const std::string& text);

// How a model's input (one row) holds an image.
struct ImageShape {
  PixelLayout layout = PixelLayout::chw;
  int64_t channels = 1;
  int64_t height = 0, width = 0;  // 0: the row is flat and any image with that many pixels fits
  int64_t flat = 0;               // elements of a flat row
  bool series = false;            // steps in time, not pixels: of height 1, as wide as there are steps
};
// Rows [steps, channels] or, channels first, [channels, steps]; also of a single channel without its axis.
ImageShape series_shape(const Shape& row, bool channels_first);
// Nothing if the shape cannot be an image's.
std::optional<ImageShape> image_shape(const Shape& row, const Preprocess& preprocess);

// The pipeline that images for such an input most likely need.
Preprocess guess_preprocess(const Shape& row);
std::string describe(const Preprocess& preprocess);

// The size that resize and crop give to an image of this one.
ImageSize preprocessed_size(ImageSize image, const Preprocess& preprocess);

// One image as a row of the model's input. An image of another size is refused (kind shape).
Tensor preprocess_image(const Image& image, const Preprocess& preprocess, const Shape& row, DType dtype,
                        const std::string& where);

// A row as a picture again, to be looked at: the values undone where it is known how they were made, and spread from
// the smallest to the largest otherwise. `shape` has height and width. More than three channels: their mean.
Image picture_of(const Tensor& row, const ImageShape& shape, const std::optional<Preprocess>& preprocess);

// (scale * x - mean) / std along `axis` of real data that are not images.
Tensor normalize_values(Tensor values, const Preprocess& preprocess, int64_t axis, const std::string& where);

}  // namespace ascribe::core
