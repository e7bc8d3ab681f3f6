// Grad-CAM: m = sum over channels k of alpha_k A^k with alpha_k = mean over positions of df/dA^k, A a layer's output;
// a = ReLU(m), bilinear up to the input's height and width, a pixel's value divided equally between its channels.
// Source: Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based Localization" (2017),
// equations 1 and 2. The layer is the last convolution behind its activation, unless another is named.
// Several layers: LayerCAM, m = ReLU(sum over k of ReLU(df/dA^k) A^k) of each, divided by its maximum, all but the
// deepest sharpened to tanh(2 m), the largest at each place. Source: Jiang et al., "LayerCAM: Exploring Hierarchical
// Class Activation Maps for Localization" (2021), equations 5 to 7 and section III-C.
#include "methods/grad_cam.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/ranges.h>

#include "passes/gradient.h"

namespace ascribe::core {

namespace {

constexpr double kSharpness = 2;  // gamma of LayerCAM

std::vector<int64_t> positions_of(const Builder& b, Value map) {
  std::vector<int64_t> positions(static_cast<size_t>(b.rank(map)) - 2);
  std::iota(positions.begin(), positions.end(), int64_t{2});
  return positions;
}

Value weighed_map(Builder& b, Value activation, Value slope) {
  const Value alpha = b.reduce("reduce_mean", slope, positions_of(b, activation), true);
  return b.reduce("reduce_sum", b.mul(alpha, activation), {1}, true);
}

// LayerCAM of one layer, its largest value 1 (or nowhere above 0).
Value layer_cam(Builder& b, Value activation, Value slope) {
  const Value weighed = b.mul(b.op("relu", {slope}), activation);
  const Value map = b.op("relu", {b.reduce("reduce_sum", weighed, {1}, true)});
  const Value largest = b.reduce("reduce_max", map, positions_of(b, map), true);
  const Value some = b.op("less", {b.scalar(0), largest});
  return b.div(map, b.op("where", {some, largest, b.scalar(1)}));
}

// "a, b" as names.
std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

// Of the layers that are named, from the first in the network to the last.
std::vector<MapLayer> named_layers(const AttributionRequest& r) {
  std::vector<MapLayer> layers;
  for (const std::string& name : names_in(r.parameters.text("layers"))) {
    layers.push_back(map_layer(r.model, name, "grad_cam"));
  }
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.map.index < b.map.index; });
  return layers;
}

// Where maps of several sizes meet: the largest of each axis.
std::vector<int64_t> finest_sizes(const Builder& b, const std::vector<Value>& maps) {
  std::vector<int64_t> sizes;
  for (const Value map : maps) {
    const Dims& shape = b.shape(map);
    if (!sizes.empty() && shape.size() != sizes.size() + 2) {
      fail(ErrorKind::argument, "layers", "the layers do not have the same number of axes; got {} and {}",
           sizes.size() + 2, shape.size());
    }
    sizes.resize(shape.size() - 2, 1);
    for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], shape[i + 2].fixed);
  }
  return sizes;
}

Value combined_map(const AttributionRequest& r, const std::vector<MapLayer>& layers) {
  Builder& b = r.b;
  if (r.parameters.text("relu") == "false" || !r.parameters.text("layer").empty()) {
    fail(ErrorKind::argument, "layers",
         "it goes neither with `layer` nor with `relu` = false: maps of several layers "
         "show only what speaks for the target");
  }
  std::vector<Value> activations, maps;
  for (const MapLayer& layer : layers) activations.push_back(r.at_x(layer.map));
  const auto slopes = append_gradient(b, r.at_x(r.model.outputs[0].value), r.seed, activations, &r.notes);
  for (size_t i = 0; i < layers.size(); ++i) {
    const Value map = layer_cam(b, activations[i], slopes[i]);
    maps.push_back(i + 1 == layers.size() ? map : b.op("tanh", {b.mul(map, kSharpness)}));
  }
  const std::vector<int64_t> sizes = finest_sizes(b, maps);
  Value result = resized_picture(b, maps[0], sizes);
  for (size_t i = 1; i < maps.size(); ++i) {
    result = b.op("maximum", {result, resized_picture(b, maps[i], sizes)});
  }
  return result;
}

void say_layers(const AttributionRequest& r, const std::vector<MapLayer>& layers) {
  std::vector<std::string> names, texts;
  for (const MapLayer& layer : layers) {
    names.push_back(layer.name);
    texts.push_back(layer.about);
  }
  r.layers = names;
  r.notes.push_back(
      fmt::format("the map shows {} {}", layers.size() == 1 ? "layer" : "layers", fmt::join(texts, "; ")));
}

}  // namespace

Value grad_cam_map(const AttributionRequest& r) {
  Builder& b = r.b;
  if (const auto layers = named_layers(r); !layers.empty()) {
    say_layers(r, layers);
    return combined_map(r, layers);
  }
  const MapLayer layer = map_layer(r.model, r.parameters.text("layer"), "grad_cam");
  say_layers(r, {layer});
  const Value activation = r.at_x(layer.map);
  const Value output = r.at_x(r.model.outputs[0].value);
  return weighed_map(b, activation, append_gradient(b, output, r.seed, std::array{activation}, &r.notes)[0]);
}

Value grad_cam_picture(const AttributionRequest& r, Value map, Value input, Channels channels) {
  const Value shown = r.parameters.text("relu") == "true" ? r.b.op("relu", {map}) : map;
  for (const Port& port : r.model.inputs) {
    if (r.at_x(port.value) == input) return picture_over_input(r.b, r.model, port.value, shown, channels);
  }
  fail(ErrorKind::internal, "grad_cam", "the attributed input is not one of the model's");
}

std::vector<Parameter> grad_cam_parameters() {
  return {
      text_parameter("layer", "",
                     "name of the node whose output is the map; empty: the last convolution, behind its activation"),
      text_parameter("layers", "",
                     "names of several nodes, joined by commas: the maps of LayerCAM, combined; instead of `layer`"),
      text_parameter("relu", "true", "whether only what speaks for the target is kept", {"true", "false"})};
}

namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  r.layer_map = grad_cam_map(r);
  std::vector<Value> pictures;
  for (const Value input : r.inputs) pictures.push_back(grad_cam_picture(r, r.layer_map, input, Channels::share));
  return pictures;
}

const RegisterMethod grad_cam(
    {.name = "grad_cam",
     .title = "Grad-CAM",
     .number = 5,
     .formula = "a = upsample(ReLU(sum over k of alpha_k A^k)), alpha_k = mean over positions of df/dA^k",
     .source = "Selvaraju, Cogswell, Das, Vedantam, Parikh, Batra 2017",
     .about =
         "Where a convolutional layer A sees something that speaks for the target: its channels, weighted by the "
         "mean slope of f in each, added up. The coarse map is interpolated up to the input (bilinear, pixels "
         "counted from their centres); the map itself is in the result too, before ReLU and interpolation. Unless a "
         "layer is named, it is the last convolution's output behind its activation, where the branches that it "
         "belongs to have met. Several layers (`layers`) give LayerCAM: each channel is weighted place by place, "
         "by the positive part of its slope; the maps are divided by their maxima, all but the deepest sharpened "
         "by tanh(2 m), and the largest value at each place is kept.",
     .cost = "one forward pass, and one backward pass down to the layer",
     .use = "For a quick, smooth picture of where an image classifier looks.",
     .limits = "As coarse as the layer, or with several as the finest of them. A statement about the layer, not about "
               "pixels: values do not sum to the output, "
               "and pixels that the network ignores may lie inside a bright region. Needs convolutions; of a vision "
               "transformer only "
               "the first layer is one, which must be asked for by its name.",
     .parameters = grad_cam_parameters(),
     .graph = graph});

}  // namespace
}  // namespace ascribe::core
