// A decomposition as pictures: independent effects over the input, the strongest interactions between the players,
// strength by order. Colours are those of draw/diverging.h, with limits that are symmetric and written beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/image.h"
#include "draw/heat_map.h"
#include "game/effect_summary.h"
#include "game/players.h"

namespace ascribe::core {

struct EffectPictures {
  const EffectSummary& summary;
  const Players& players;
  std::optional<Image> input;  // as picture_of gives it; of the size of players.image
  std::string title;           // one line: "relu_vgg.onnx: logit of Ankle boot for ankle_boot.png"
};

// psi of its owner at every pixel, laid over the input; enlarged. Nothing else is on it.
Image independent_map(const EffectPictures& pictures);

// Input and map side by side with a scale. Needs an input image.
std::string independent_svg(const EffectPictures& pictures);
// The strongest pairs as lines between the centres of their players, over the input.
std::string pairs_svg(const EffectPictures& pictures);
// The strongest triples, an image for each.
std::string triples_svg(const EffectPictures& pictures);
// The same without words, for pages that have their own: pairs, and one set of players in the colour of its effect.
Svg pairs_drawing(const EffectPictures& pictures);
Image players_image(const EffectPictures& pictures, const Effect& effect, double limit);
// Without an image: effects as bars, largest first.
std::string effect_bars_svg(const EffectPictures& pictures, const std::vector<Effect>& effects,
                            const std::string& heading);
std::string orders_svg(const EffectPictures& pictures);

// "r0c1 & r2c3"
std::string names_of(const Effect& effect, const Players& players);

}  // namespace ascribe::core
