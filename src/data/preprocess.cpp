#include "data/preprocess.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json_place.h"

namespace ascribe::core {

namespace {

constexpr int64_t kLargestSide = 1 << 14;
constexpr size_t kLargestFile = size_t{1} << 20;
constexpr std::string_view kKeys = "resize, crop, scale, mean, std, layout, color";

Preprocess unit() {
  Preprocess p;
  p.name = "unit";
  p.scale = 1.0 / 255.0;
  return p;
}

Preprocess imagenet() {
  Preprocess p = unit();
  p.name = "imagenet";
  p.resize = {256};
  p.crop = {224, 224};
  p.mean = {0.485, 0.456, 0.406};
  p.std = {0.229, 0.224, 0.225};
  return p;
}

// The items of a list; anything else stands for a list of itself.
std::vector<JsonPlace> one_or_more(const JsonPlace& value) {
  return value.json().is_list() ? value.items() : std::vector{value};
}

// A side or [height, width].
std::vector<int64_t> sides(const JsonPlace& value) {
  std::vector<int64_t> result;
  for (const JsonPlace& side : one_or_more(value)) result.push_back(side.whole(1, kLargestSide));
  if (result.empty() || result.size() > 2) {
    value.refuse(fmt::format("has {} numbers; expected a side or [height, width]", result.size()));
  }
  return result;
}

std::vector<double> reals(const JsonPlace& value) {
  std::vector<double> result;
  for (const JsonPlace& one : one_or_more(value)) result.push_back(one.finite());
  if (result.empty()) value.refuse("is an empty list; expected a number, or one per channel");
  return result;
}

std::vector<double> divisors(const JsonPlace& value) {
  std::vector<double> result = reals(value);
  if (std::find(result.begin(), result.end(), 0.0) != result.end()) {
    value.refuse("has a zero; values are divided by it, so expected other numbers");
  }
  return result;
}

// A number, or "1/255", which JSON cannot write as one.
double scale_of(const JsonPlace& value) {
  if (value.json() == Json("1/255")) return 1.0 / 255.0;
  if (!value.json().is_number()) value.refuse(fmt::format("is {}; expected a number or \"1/255\"", value.any_text()));
  return value.finite();
}

PixelLayout layout_of(const JsonPlace& value) {
  const std::string name = value.text();
  if (name == "nchw" || name == "chw" || name == "nct" || name == "ct") return PixelLayout::chw;
  if (name == "nhwc" || name == "hwc" || name == "ntc" || name == "tc") return PixelLayout::hwc;
  value.refuse(fmt::format("is '{}'; expected \"nchw\" or \"nhwc\", of series \"tc\" or \"ct\"", name));
}

Color color_of(const JsonPlace& value) {
  const std::string name = value.text();
  if (name == "rgb") return Color::rgb;
  if (name == "bgr") return Color::bgr;
  if (name == "gray") return Color::gray;
  value.refuse(fmt::format("is '{}'; expected \"rgb\", \"bgr\" or \"gray\"", name));
}

// `name`: what notes call it.
Preprocess from_json(const std::string& text, const std::string& where, const std::string& name) {
  const Json json = parse_json(text, where, ErrorKind::argument);
  const JsonPlace settings(json, where, ErrorKind::argument);
  Preprocess p;
  p.name = name;
  for (const JsonMember& member : settings.members()) {
    const std::string& key = member.key;
    const JsonPlace value = settings.at(key);
    if (key == "resize") p.resize = sides(value);
    else if (key == "crop") p.crop = sides(value);
    else if (key == "scale") p.scale = scale_of(value);
    else if (key == "mean") p.mean = reals(value);
    else if (key == "std") p.std = divisors(value);
    else if (key == "layout") p.layout = layout_of(value), p.series = value.text().find('t') != std::string::npos;
    else if (key == "color") p.color = color_of(value);
    else fail(ErrorKind::argument, where, "unknown key '{}'; expected {}", key, kKeys);
  }
  if (p.crop.size() == 1) p.crop.push_back(p.crop[0]);
  return p;
}

Image resized_and_cropped(const Image& image, const Preprocess& p, const std::string& where) {
  Image result = image;
  if (p.resize.size() == 1) result = resize_short_side(result, p.resize[0]);
  if (p.resize.size() == 2) result = resize(result, p.resize[0], p.resize[1]);
  if (p.crop.empty()) return result;
  if (result.height < p.crop[0] || result.width < p.crop[1]) {
    fail(ErrorKind::shape, where, "the image is smaller than the crop; got {} x {} pixels; expected {} x {} or more",
         result.width, result.height, p.crop[1], p.crop[0]);
  }
  return centre_crop(result, p.crop[0], p.crop[1]);
}

// Refuses to stretch silently: says both sizes, and how to ask for a resize.
void check_size(const Image& image, const ImageShape& wanted, const Preprocess& p, const std::string& where) {
  if (wanted.flat > 0) {
    if (image.height * image.width * wanted.channels == wanted.flat) return;
    fail(ErrorKind::shape, where,
         "the image does not have the size that the model takes; got {} x {} pixels; expected {} values in all; "
         "`preprocess` '{{\"resize\": [HEIGHT, WIDTH], ...}}' would resize it",
         image.width, image.height, wanted.flat);
  }
  if (image.height == wanted.height && image.width == wanted.width) return;
  const std::string remedy =
      p.resize.empty() && p.crop.empty()
          ? fmt::format("`preprocess` '{{\"resize\": [{}, {}], \"scale\": \"1/255\"}}' would resize it", wanted.height,
                        wanted.width)
          : fmt::format("the resize and crop of `preprocess` {} must give this size", p.name);
  fail(ErrorKind::shape, where,
       "the image does not have the size that the model takes; got {} x {} pixels; expected {} x {}; {}", image.width,
       image.height, wanted.width, wanted.height, remedy);
}

double per_channel(const std::vector<double>& values, int64_t channel, double otherwise) {
  if (values.empty()) return otherwise;
  return values.size() == 1 ? values[0] : values[channel];
}

void check_channels(const Preprocess& p, int64_t channels, const std::string& where) {
  for (const auto* values : {&p.mean, &p.std}) {
    if (values->size() > 1 && static_cast<int64_t>(values->size()) != channels) {
      fail(ErrorKind::shape, where, "mean and std of `preprocess` {} do not fit; got {} values; expected 1 or {}",
           p.name, values->size(), channels);
    }
  }
}

}  // namespace

Preprocess parse_preprocess(const std::string& text) {
  if (text == "unit") return unit();
  if (text == "imagenet") return imagenet();
  if (text == "raw") return {};
  if (text.starts_with('{')) return from_json(text, "preprocess", "as given");
  if (!text.ends_with(".json")) {
    fail(ErrorKind::argument, "preprocess", "got '{}'; expected unit, imagenet, raw or a .json file", text);
  }
  return from_json(read_file(text, kLargestFile), text, text);
}

ImageShape series_shape(const Shape& row, bool channels_first) {
  const int64_t elements = element_count(row);
  const int64_t channels = row.size() < 2 ? 1 : channels_first ? row[0] : row[1];
  const PixelLayout layout = channels_first ? PixelLayout::chw : PixelLayout::hwc;
  return {layout, channels, 1, channels > 0 ? elements / channels : 0, 0, true};
}

std::optional<ImageShape> image_shape(const Shape& whole, const Preprocess& p) {
  Shape row = whole;
  while (row.size() > 3 && row[0] == 1) row.erase(row.begin());  // a batch of one that the model insists on
  const int64_t wanted = !p.color ? 0 : (*p.color == Color::gray ? 1 : 3);
  const auto longest = row.empty() ? 1 : *std::max_element(row.begin(), row.end());
  const int64_t elements = element_count(row);
  if (longest == elements) {
    return ImageShape{p.layout.value_or(PixelLayout::chw), wanted == 0 ? 1 : wanted, 0, 0, elements};
  }
  if (row.size() == 2) return ImageShape{PixelLayout::chw, 1, row[0], row[1], 0};
  if (row.size() != 3) return std::nullopt;
  const auto fits = [&](int64_t channels) { return wanted == 0 ? channels == 1 || channels == 3 : channels == wanted; };
  const bool chw = fits(row[0]) && p.layout.value_or(PixelLayout::chw) == PixelLayout::chw;
  const bool hwc = fits(row[2]) && p.layout.value_or(PixelLayout::hwc) == PixelLayout::hwc;
  if (chw) return ImageShape{PixelLayout::chw, row[0], row[1], row[2], 0};
  if (hwc) return ImageShape{PixelLayout::hwc, row[2], row[0], row[1], 0};
  if (wanted != 0) return std::nullopt;
  // Neither gray nor colour: the shorter of both ends holds the channels.
  const bool first = row[0] <= row[2];
  if (p.layout.value_or(first ? PixelLayout::chw : PixelLayout::hwc) == PixelLayout::chw) {
    return ImageShape{PixelLayout::chw, row[0], row[1], row[2], 0};
  }
  return ImageShape{PixelLayout::hwc, row[2], row[0], row[1], 0};
}

ImageSize preprocessed_size(ImageSize image, const Preprocess& p) {
  if (p.crop.size() == 2) return {p.crop[0], p.crop[1]};
  if (p.resize.size() == 2) return {p.resize[0], p.resize[1]};
  return p.resize.size() == 1 ? short_side_size(image, p.resize[0]) : image;
}

Preprocess guess_preprocess(const Shape& row) {
  const auto image = image_shape(row, {});
  return image && image->channels == 3 && image->height == 224 && image->width == 224 ? imagenet() : unit();
}

std::string describe(const Preprocess& p) {
  std::vector<std::string> steps;
  if (p.resize.size() == 1) steps.push_back(fmt::format("short side to {}", p.resize[0]));
  if (p.resize.size() == 2) steps.push_back(fmt::format("resized to {} x {}", p.resize[1], p.resize[0]));
  if (!p.crop.empty()) steps.push_back(fmt::format("centre crop {} x {}", p.crop[1], p.crop[0]));
  std::string value = "x";
  if (p.scale != 1.0) value = p.scale == 1.0 / 255.0 ? "x / 255" : fmt::format("{:g} x", p.scale);
  if (!p.mean.empty() || !p.std.empty()) value = fmt::format("({} - mean) / std", value);
  steps.push_back(value == "x" ? "values as they are" : value);
  return fmt::format("{} ({})", p.name, fmt::join(steps, ", "));
}

Tensor preprocess_image(const Image& image, const Preprocess& p, const Shape& row, DType dtype,
                        const std::string& where) {
  auto wanted = image_shape(row, p);
  if (!wanted && image_shape(row, {})) {
    fail(ErrorKind::shape, where, "the layout or color of `preprocess` does not fit rows of shape {}", to_string(row));
  }
  if (!wanted) {
    fail(ErrorKind::shape, where, "the model takes rows of shape {}, which cannot be an image; give a .npy array",
         to_string(row));
  }
  if (wanted->channels != 1 && wanted->channels != 3) {
    fail(ErrorKind::shape, where,
         "the model takes rows of shape {}, which have {} channels; a picture has 1 or 3; give a .npy array",
         to_string(row), wanted->channels);
  }
  const Image sized = resized_and_cropped(image, p, where);
  // A flat row may hold three planes; its length tells.
  if (wanted->flat > 0 && !p.color && 3 * sized.height * sized.width == wanted->flat) wanted->channels = 3;
  check_size(sized, *wanted, p, where);
  check_channels(p, wanted->channels, where);
  const Image colored = wanted->channels == 1 ? to_gray(sized) : to_rgb(sized);
  const int64_t channels = wanted->channels, pixels = colored.height * colored.width;
  const bool reversed = p.color == Color::bgr;
  Tensor result(dtype, row);
  visit(dtype, [&]<class T>(T) {
    auto out = result.mutable_data<T>();
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t source = reversed ? channels - 1 - c : c;
      const double mean = per_channel(p.mean, c, 0.0), deviation = per_channel(p.std, c, 1.0);
      for (int64_t i = 0; i < pixels; ++i) {
        const double value = (colored.pixels[i * channels + source] * p.scale - mean) / deviation;
        out[wanted->layout == PixelLayout::chw ? c * pixels + i : i * channels + c] = static_cast<T>(value);
      }
    }
  });
  return result;
}

Image picture_of(const Tensor& row, const ImageShape& shape, const std::optional<Preprocess>& preprocess) {
  const int64_t pixels = shape.height * shape.width, channels = shape.channels;
  require(row.size() == pixels * channels && pixels > 0, "picture", "the row does not fit the image");
  const auto value = [&](int64_t i, int64_t c) {
    return row.at(shape.layout == PixelLayout::chw ? c * pixels + i : i * channels + c);
  };
  double low = value(0, 0), high = low;
  for (int64_t i = 0; i < row.size(); ++i) low = std::min(low, row.at(i)), high = std::max(high, row.at(i));
  const auto shown = [&](int64_t i, int64_t c) {
    if (!preprocess) return high > low ? (value(i, c) - low) / (high - low) * 255 : 127.5;
    const double made = value(i, c) * per_channel(preprocess->std, c, 1.0) + per_channel(preprocess->mean, c, 0.0);
    return made / preprocess->scale;
  };
  const bool color = channels == 3, reversed = preprocess && preprocess->color == Color::bgr;
  Image image{shape.height, shape.width, color ? 3 : 1, {}, false};
  for (int64_t i = 0; i < pixels; ++i) {
    double mean = 0;
    for (int64_t c = 0; c < channels; ++c) {
      if (color) image.pixels.push_back(static_cast<float>(shown(i, reversed ? channels - 1 - c : c)));
      else mean += shown(i, c) / static_cast<double>(channels);
    }
    if (!color) image.pixels.push_back(static_cast<float>(mean));
  }
  return image;
}

Tensor normalize_values(Tensor values, const Preprocess& p, int64_t axis, const std::string& where) {
  if (!p.resize.empty() || !p.crop.empty()) {
    fail(ErrorKind::argument, where, "`preprocess` {} resizes or crops, which needs an image", p.name);
  }
  if (!p.changes_values()) return values;
  const int64_t channels = values.shape()[axis];
  check_channels(p, channels, where);
  const int64_t inner = strides_of(values.shape())[axis];
  visit(values.dtype(), [&]<class T>(T) {
    auto data = values.mutable_data<T>();
    for (int64_t i = 0; i < static_cast<int64_t>(data.size()); ++i) {
      const int64_t c = i / inner % channels;
      data[i] = static_cast<T>((data[i] * p.scale - per_channel(p.mean, c, 0.0)) / per_channel(p.std, c, 1.0));
    }
  });
  return values;
}

}  // namespace ascribe::core
