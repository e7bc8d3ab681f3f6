// A model cut in two behind its local part: convolutions, pooling and operations on single elements, up to the last
// value [N, channels, height, width] whose places each see a small window of the input image.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace ascribe::core {

// The rows or columns of the input image that a place can depend on: begin to end - 1.
struct Field {
  int64_t begin = 0, end = 0;
};

struct LocalPart {
  Graph prefix;                      // input 0: the explained input; output 0: h
  Graph suffix;                      // inputs: the model's, with h in the place of the explained one
  Shape shape;                       // of one row of h: [channels, height, width]
  std::vector<Field> rows, columns;  // of each row and column of h
};

// Nothing if the input is not an image, if h does not carry all that later operations know of the input, or if its
// windows cover more than a quarter of the image.
std::optional<LocalPart> split_local_part(const Graph& graph, size_t input);

}  // namespace ascribe::core
