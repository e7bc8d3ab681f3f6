// Resize and Upsample: one axis after the other, each output position a weighted sum of a few
// input positions (core op resample), worked out when the model is loaded. Resize of opset 10
// and Upsample are asymmetric and round down. Output width means scale * input width, which
// need not be whole, as in the standard's reference.
#include <cmath>

#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_resize {
namespace {

struct Method {
  std::string mode, coordinates, rounding;
  double cubic = -0.75, extrapolation = 0;
  bool exclude_outside = false, antialias = false;
};

// One axis: how many positions, how many become how many.
struct Axis {
  int64_t index = 0, input = 0, output = 0;
  double scale = 1;
  double roi_start = 0, roi_end = 1;
};

// For each output position `taps` input positions and weights; `outside` where a crop leaves the input.
struct Table {
  int64_t taps = 1;
  std::vector<int64_t> indices;
  std::vector<double> weights;
  std::vector<uint8_t> outside;
};

double source_position(const NodeContext& c, const Method& method, const Axis& axis, int64_t at) {
  const auto x = static_cast<double>(at), input = static_cast<double>(axis.input);
  const double width = axis.scale * input;
  const double half_pixel = (x + 0.5) / axis.scale - 0.5;
  const std::string& mode = method.coordinates;
  if (mode == "half_pixel") return half_pixel;
  if (mode == "pytorch_half_pixel") return axis.output > 1 ? half_pixel : 0;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (mode == "align_corners") return axis.output == 1 ? 0 : x * (input - 1) / (width - 1);
  if (mode == "half_pixel_symmetric") {
    return half_pixel + input / 2 * (1 - static_cast<double>(axis.output) / width);
  }
  if (mode == "tf_crop_and_resize") {
    const double start = axis.roi_start * (input - 1), length = (axis.roi_end - axis.roi_start) * (input - 1);
    return start + (axis.output == 1 ? length / 2 : x * length / (width - 1));
  }
  c.refuse("coordinate_transformation_mode is \"{}\"", mode);
}

double nearest(const NodeContext& c, const std::string& rounding, double x) {
  if (rounding == "round_prefer_floor") return std::ceil(x - 0.5);
  if (rounding == "round_prefer_ceil") return std::floor(x + 0.5);
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  c.refuse("nearest_mode is \"{}\"", rounding);
}

// The interpolation kernel at distance x: a hat, or Keys' cubic with parameter a.
double kernel(const Method& method, double x) {
  x = std::abs(x);
  if (method.mode == "linear") return std::max(0.0, 1 - x);
  const double a = method.cubic;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Table make_table(const NodeContext& c, const Method& method, const Axis& axis) {
  Table table;
  const bool is_nearest = method.mode == "nearest";
  // Antialiasing stretches the kernel when the image shrinks.
  const double stretch = method.antialias && !is_nearest ? std::min(axis.scale, 1.0) : 1.0;
  const double reach = (method.mode == "linear" ? 1 : 2) / stretch;
  const auto first = is_nearest ? int64_t{0} : static_cast<int64_t>(std::floor(-reach)) + 1;
  table.taps = is_nearest ? 1 : 2 - 2 * first;
  table_size(c, {axis.output, table.taps});
  for (int64_t at = 0; at < axis.output; ++at) {
    const double position = source_position(c, method, axis, at);
    if (std::isnan(position)) c.refuse("a position in the input is not a number");
    const double x = std::clamp(position, -1e15, 1e15);
    const double base = is_nearest ? nearest(c, method.rounding, x) : std::floor(x);
    table.outside.push_back(method.coordinates == "tf_crop_and_resize" &&
                            !(x >= 0 && x <= static_cast<double>(axis.input - 1)));
    double sum = 0;
    for (int64_t tap = 0; tap < table.taps; ++tap) {
      const double place = base + static_cast<double>(first + tap);
      const bool inside = place >= 0 && place <= static_cast<double>(axis.input - 1);
      double weight = is_nearest ? 1 : kernel(method, (place - x) * stretch);
      if (method.exclude_outside && !inside && !is_nearest) weight = 0;
      table.indices.push_back(static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(axis.input - 1))));
      table.weights.push_back(weight);
      sum += weight;
    }
    const bool uneven = (method.exclude_outside || stretch < 1) && sum != 0;
    for (int64_t tap = 0; uneven && tap < table.taps; ++tap) table.weights[at * table.taps + tap] /= sum;
  }
  return table;
}

bool is_identity(const Table& table, const Axis& axis) {
  if (axis.output != axis.input) return false;
  for (int64_t at = 0; at < axis.output; ++at) {
    if (table.outside[at] != 0) return false;
    for (int64_t tap = at * table.taps; tap < (at + 1) * table.taps; ++tap) {
      if (table.weights[tap] != 0 && (table.indices[tap] != at || table.weights[tap] != 1)) return false;
    }
  }
  return true;
}

Value resample(NodeContext& c, const Method& method, const Axis& axis, Value x) {
  Builder& b = c.b();
  if (axis.input < 1) c.refuse("axis {} is empty", axis.index);
  const Table table = make_table(c, method, axis);
  if (is_identity(table, axis)) return x;
  const Shape shape = {axis.output, table.taps};
  const Value indices = b.constant(Tensor::of<int64_t>(shape, table.indices));
  if (b.kind(x) != Kind::real) {
    if (table.taps != 1) c.unsupported("interpolation between integers");
    return b.op("gather", {x, b.reshape(indices, {axis.output})}, {{"axis", ints({axis.index})}});
  }
  x = b.op("resample", {x, indices, b.constant(Tensor::of<double>(shape, table.weights))},
           {{"axis", ints({axis.index})}});
  if (std::find(table.outside.begin(), table.outside.end(), 1) == table.outside.end()) return x;
  const Value outside = b.constant(Tensor::of<uint8_t>({axis.output}, table.outside));
  return b.op("where", {along_axis(b, outside, axis.index, b.rank(x)), b.scalar(method.extrapolation), x});
}

Method read_method(const NodeContext& c) {
  Method method;
  method.mode = c.text("mode", "nearest");
  if (method.mode == "bilinear") method.mode = "linear";  // Upsample of opset 7
  if (method.mode != "nearest" && method.mode != "linear" && method.mode != "cubic") {
    c.refuse("mode is \"{}\"; expected nearest, linear or cubic", method.mode);
  }
  const bool early = c.op_type() == "Upsample" || c.opset() < 11;
  method.coordinates = c.text("coordinate_transformation_mode", early ? "asymmetric" : "half_pixel");
  method.rounding = c.text("nearest_mode", early ? "floor" : "round_prefer_floor");
  method.cubic = c.real("cubic_coeff_a", -0.75);
  method.extrapolation = c.real("extrapolation_value", 0.0);
  method.exclude_outside = c.integer("exclude_outside", 0) != 0;
  method.antialias = c.integer("antialias", 0) != 0;
  return method;
}

std::vector<double> read_reals(const NodeContext& c, size_t input, std::string_view what) {
  const Tensor tensor = c.constant(input, what);
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at(i));
  return values;
}

std::vector<double> read_scales(const NodeContext& c) {
  if (c.has_attribute("scales")) return c.reals("scales", {});
  return read_reals(c, c.op_type() == "Resize" && c.opset() >= 11 ? 2 : 1, "scales");
}

bool has_elements(const NodeContext& c, size_t input) { return c.has(input) && c.b().shape(c.in(input)) != Dims{0}; }

// One scale for all axes, so that the shape of the image is kept.
void keep_aspect_ratio(const NodeContext& c, std::vector<Axis>& axes) {
  const std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  if (policy != "not_larger" && policy != "not_smaller") c.refuse("keep_aspect_ratio_policy is \"{}\"", policy);
  double scale = axes[0].scale;
  for (const Axis& axis : axes) {
    scale = policy == "not_larger" ? std::min(scale, axis.scale) : std::max(scale, axis.scale);
  }
  for (Axis& axis : axes) {
    axis.scale = scale;
    axis.output = static_cast<int64_t>(std::floor(scale * static_cast<double>(axis.input) + 0.5));
  }
}

std::vector<Axis> axes_from_sizes(const NodeContext& c, const Dims& shape, const std::vector<int64_t>& indices) {
  const Dims sizes = c.known_integers(3, "sizes");
  if (sizes.size() != indices.size()) c.refuse("sizes has {} entries; expected {}", sizes.size(), indices.size());
  std::vector<Axis> axes;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Dim own = shape[indices[i]];
    if (!own.is_fixed() && (sizes[i] == own || (c.batch_was_fixed() && sizes[i] == Dim(own.at(1))))) continue;
    Axis axis{.index = indices[i],
              .input = fixed_size(c, own, "a size to change"),
              .output = fixed_size(c, sizes[i], "a size to change to")};
    if (axis.output < 0 || axis.output > kLargestTable) c.refuse("a size is out of range; got {}", axis.output);
    axis.scale = axis.input == 0 ? 1 : static_cast<double>(axis.output) / static_cast<double>(axis.input);
    axes.push_back(axis);
  }
  keep_aspect_ratio(c, axes);
  return axes;
}

std::vector<Axis> axes_from_scales(const NodeContext& c, const Dims& shape, const std::vector<int64_t>& indices) {
  const auto scales = read_scales(c);
  if (scales.size() != indices.size()) c.refuse("scales has {} entries; expected {}", scales.size(), indices.size());
  std::vector<Axis> axes;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Dim own = shape[indices[i]];
    if (!own.is_fixed() && scales[i] == 1) continue;
    Axis axis{.index = indices[i], .input = fixed_size(c, own, "a size to change"), .scale = scales[i]};
    // In float, as the file's numbers are: 10 * 0.7f is 7.
    const float size = std::floor(static_cast<float>(axis.input) * static_cast<float>(axis.scale));
    if (!(axis.scale > 0) || !(size <= static_cast<float>(kLargestTable))) c.refuse("a scale is {}", scales[i]);
    axis.output = static_cast<int64_t>(size);
    axes.push_back(axis);
  }
  return axes;
}

// roi: all starts, then all ends, one per axis named.
void read_region(const NodeContext& c, std::vector<Axis>& axes, const std::vector<int64_t>& indices) {
  const auto roi = read_reals(c, 1, "roi");
  if (roi.size() != 2 * indices.size()) c.refuse("roi has {} entries; expected {}", roi.size(), 2 * indices.size());
  for (Axis& axis : axes) {
    const auto i = std::find(indices.begin(), indices.end(), axis.index) - indices.begin();
    axis.roi_start = roi[i];
    axis.roi_end = roi[i + static_cast<int64_t>(indices.size())];
  }
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Dims shape = b.shape(c.in(0));
  const auto rank = static_cast<int64_t>(shape.size());
  const Method method = read_method(c);
  std::vector<int64_t> indices = c.integers("axes", axes_from(0, rank));
  normal_axes(c, indices, rank);  // refuses repeats
  for (int64_t& index : indices) index = normal_axis(index, rank, c.where());
  const bool by_size = c.op_type() == "Resize" && c.opset() >= 11 && has_elements(c, 3);
  auto axes = by_size ? axes_from_sizes(c, shape, indices) : axes_from_scales(c, shape, indices);
  if (method.coordinates == "tf_crop_and_resize") read_region(c, axes, indices);
  Value x = c.in(0);
  for (const Axis& axis : axes) x = resample(c, method, axis, x);
  c.out(0, x);
}

const RegisterLowering resize(
    {"Resize", 19,
     "antialias:18 axes:18 coordinate_transformation_mode:11 cubic_coeff_a:11 exclude_outside:11 "
     "extrapolation_value:11 keep_aspect_ratio_policy:18 mode nearest_mode:11"},
    lower, "scales or sizes must be known when the model is loaded");
const RegisterLowering upsample({"Upsample", 10, "mode scales:7"}, lower,
                                "scales must be known when the model is loaded");

}  // namespace
}  // namespace ascribe::core::lowering_resize
