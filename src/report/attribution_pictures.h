// Attributions as pictures: each over the input, and all methods on one sheet. Every map has a scale of its own,
// symmetric about 0, whose limit is written beside it. Text is shown in colours, other inputs as bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/heat_map.h"
#include "methods/method.h"
#include "study/tokens.h"

namespace ascribe::core {

struct MethodPicture {
  const Method& method;
  const Attribution& attribution;
};

struct AttributionPictures {
  std::string title;  // one line: "relu_vgg.onnx: logit of Ankle boot for ankle_boot.png"
  const Players& players;
  std::vector<std::string> labels;  // of the players, for bars: "rooms = 4"
  std::optional<Image> input;       // of the size of players.image; nothing: bars
  std::vector<MethodPicture> methods;
  const study::TokenRow* tokens = nullptr;  // the input is text, shown in colours
  const Tensor* x = nullptr;                // the row, if the players are parts of a series: it is shown as lines
};

// The map alone, enlarged. Needs an input image.
Image attribution_map(const AttributionPictures& pictures, size_t method);
// Input and map side by side with a scale, or bars.
std::string attribution_svg(const AttributionPictures& pictures, size_t method);
// The input and all maps, or all bars.
std::string contact_sheet_svg(const AttributionPictures& pictures);

}  // namespace ascribe::core
