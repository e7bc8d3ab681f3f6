// Which pixels of a row belong to the object of a sample.
#pragma once

#include "data/dataset.h"
#include "metrics/metric.h"

namespace ascribe::core {

// The pixels whose centre lies in one of the sample's boxes, after preprocessing. Empty if there are no boxes, or if
// preprocessing leaves nothing of them.
PixelMask object_mask(const Sample& sample, const RowPicture& picture);

// The share of the pixels that belong to it.
double covered(const PixelMask& mask);

}  // namespace ascribe::core
