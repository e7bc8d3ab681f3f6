// Masked images behind local layers. Each place of h = g(x) sees a window of the image, so that players that never meet
// in a window can be masked at once. Players get colours, different ones if they meet; the value of a place of h under
// a coalition is read from the row in which the same colours are absent. So few rows answer many coalitions: 16 for all
// coalitions of squares that meet in fours, 26 for every pixel left out once under 5 x 5 windows.
// What follows h is affine, and its sums over places that see the same players are tabulated.
#pragma once

#include "game/masked_model.h"
#include "passes/receptive_fields.h"

namespace ascribe::core {

struct LocalLayers {
  Shape image;                                      // of one row of x: [channels, height, width]
  Shape shape;                                      // of one row of h
  std::vector<Field> rows, columns;                 // what each row and column of h sees
  AffineLayer after;                                // of h
  std::function<Tensor(const Tensor& images)> run;  // h of rows of x
};

// v for f(x) = after(h(x)), then `behind`. Coalitions that would take too many rows are asked of `plain`.
Game masked_local_game(const MaskedInput& input, std::shared_ptr<const LocalLayers> layers, RowFunction behind,
                       std::shared_ptr<Game> plain);

}  // namespace ascribe::core
