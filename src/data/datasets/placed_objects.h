// Objects on clutter, to see what localises them: every image of a set of 28 x 28 grey images, scaled, at a random
// place of a canvas of noisy grey with fragments of other images. The box is the tightest around the object's visible
// pixels and always covers less than 33 % of the canvas. The background is not black, so that a baseline of 0 does not
// give it away. models/data.py draws the images that models/localiser.onnx was trained on by the same recipe.
#pragma once

#include <memory>

#include "data/dataset.h"

namespace ascribe::core {

inline constexpr int64_t kCanvas = 56;

// Image `index` depends on the set, the seed and the index only. Refuses, kind unsupported, sets that are not grey
// images of 28 x 28 pixels.
std::unique_ptr<Dataset> place_objects(std::unique_ptr<Dataset> images, uint64_t seed);

}  // namespace ascribe::core
