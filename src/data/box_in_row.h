// Where a box of a stored image lies in the model's input, after the resize and the centre crop of preprocessing.
#pragma once

#include <optional>

#include "data/dataset.h"
#include "data/resize.h"

namespace ascribe::core {

// In pixels of the row, cut at its borders; nothing if the crop leaves nothing of it.
std::optional<Box> box_in_row(const Box& box, ImageSize image, const Preprocess& preprocess);

// The size of the image as it is stored; nothing if the sample is not an image whose size is known before it is fitted.
std::optional<ImageSize> stored_size(const Source& source);

}  // namespace ascribe::core
