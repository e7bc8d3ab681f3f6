// Baselines: what an absent player's elements are replaced by. With several baselines, results are averaged.
//   zero            the number 0, in the model's units: black where pixels are x / 255, the mean colour where
//                   they are normalised
//   mean            of the input: per channel of an image, over all elements otherwise
//   value:V         this number, or one per channel: value:0.1,0.2,0.3
//   blur:SIGMA      the image blurred by a Gaussian of this many pixels; edges are continued
//   gaussian:SIGMA  the input plus noise N(0, SIGMA^2), the same for the same seed
//   file:F          the one row of a file;   data:F  every row of a file
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/preprocess.h"
#include "tensor/tensor.h"

namespace ascribe::core {

struct BaselineRequest {
  std::string text;           // zero | mean | value:V | blur:SIGMA | gaussian:SIGMA | file:F | data:F
  const Tensor* x = nullptr;  // the row that is explained
  Shape row;
  std::optional<ImageShape> image;  // how the row holds an image, if it does
  std::optional<Tensor> rows;       // what the file of file: or data: holds, as rows of the input
  uint64_t seed = 0;
};

// Rows in double, one per baseline: [rows, row...].
Tensor make_baselines(const BaselineRequest& request);

// The path in file:F and data:F; nothing for the others.
std::optional<std::string> baseline_file(const std::string& text);

// At most `most` rows, evenly spaced from the first to the last.
Tensor thinned_rows(const Tensor& rows, int64_t most);

}  // namespace ascribe::core
