// Grad-CAM: m = sum over channels k of alpha_k A^k with alpha_k = mean over positions of df/dA^k, A a layer's output;
// a = ReLU(m), bilinear up to the input's height and width, a pixel's value divided equally between its channels.
// Source: Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based Localization" (2017),
// equations 1 and 2. The layer is the last convolution's output, before its activation, unless another is named.
#include "methods/grad_cam.h"

#include <array>
#include <numeric>

#include "passes/gradient.h"

namespace ascribe::core {

Value grad_cam_map(const AttributionRequest& r) {
  Builder& b = r.b;
  const Value activation = r.at_x(map_layer(r.model, r.parameters.text("layer"), "grad_cam"));
  const Value output = r.at_x(r.model.outputs[0].value);
  const Value slope = append_gradient(b, output, r.seed, std::array{activation}, &r.notes)[0];
  std::vector<int64_t> positions(static_cast<size_t>(b.rank(activation)) - 2);
  std::iota(positions.begin(), positions.end(), int64_t{2});
  const Value alpha = b.reduce("reduce_mean", slope, positions, true);
  return b.reduce("reduce_sum", b.mul(alpha, activation), {1}, true);
}

Value grad_cam_picture(const AttributionRequest& r, Value map, Value input, Channels channels) {
  const Value shown = r.parameters.text("relu") == "true" ? r.b.op("relu", {map}) : map;
  for (const Port& port : r.model.inputs) {
    if (r.at_x(port.value) == input) return picture_over_input(r.b, r.model, port.value, shown, channels);
  }
  fail(ErrorKind::internal, "grad_cam", "the attributed input is not one of the model's");
}

std::vector<Parameter> grad_cam_parameters() {
  return {text_parameter("layer", "", "name of the node whose output is the map; empty: the last convolution"),
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
     .about = "Where a convolutional layer A sees something that speaks for the target: its channels, weighted by the "
              "mean slope of f in each, added up. The coarse map is interpolated up to the input (bilinear, pixels "
              "counted from their centres); the map itself is in the result too, before ReLU and interpolation.",
     .cost = "one forward pass, and one backward pass down to the layer",
     .use = "For a quick, smooth picture of where an image classifier looks.",
     .limits =
         "As coarse as the layer. A statement about the layer, not about pixels: values do not sum to the output, "
         "and pixels that the network ignores may lie inside a bright region. Needs convolutions.",
     .parameters = grad_cam_parameters(),
     .graph = graph});

}  // namespace
}  // namespace ascribe::core
