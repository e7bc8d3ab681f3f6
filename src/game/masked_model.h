// The game behind an explanation: v(S) = f(x with the players outside of S at the baseline), f one element
// of a model's output; with several baselines, the mean.
#pragma once

#include <functional>
#include <memory>

#include "game/game.h"
#include "game/players.h"
#include "runtime/session.h"

namespace ascribe::core {

struct MaskedModel {
  Graph graph;                // output 0: one number per row (passes/select_element.h)
  std::vector<Tensor> point;  // one tensor per input, of one row
  size_t input = 0;           // which of them is masked
  Tensor baselines;           // rows of that input
  Players players;
  SessionOptions options;
};

// Masked rows are put together batch by batch as the memory budget of the options allows.
Game masked_model_game(MaskedModel question);

// What is masked, for functions f of other kinds.
struct MaskedInput {
  Tensor x;          // one row
  Tensor baselines;  // rows, with the same elements
  Players players;
  Shape row;                        // the shape of one row, as f takes it
  DType real = DType::f32;          // of the masked rows
  size_t memory = size_t{4} << 30;  // of which the masked rows take a part
};

// f of each row of [rows, row...].
using RowFunction = std::function<std::vector<double>(const Tensor& rows, const Progress&)>;

Game masked_input_game(const MaskedInput& input, RowFunction f);

// Makes rows for coalitions: row r of `out` is for coalition (first + r) / baselines, with baseline (first + r) %
// baselines.
using RowMaker = std::function<void(const Coalitions& sets, int64_t first, int64_t rows, Tensor& out)>;

// The masked rows themselves, and the game of rows of this shape that are made in another way.
RowMaker masked_row_maker(const MaskedInput& input);
Game masked_rows_game(const MaskedInput& input, const Shape& row, RowMaker make, RowFunction f);

// An affine map of rows: L(x) = offset + sum over i of x_i slopes[i].
struct AffineLayer {
  Tensor slopes;  // [elements of x, elements of L(x)], in double
  Tensor offset;  // in double
  Shape row;      // the shape of one row of L(x)

  int64_t inner() const { return offset.size(); }
};

// The same game for f(x) = g(L(x)). What each player adds to L(x) is computed once; a masked row is a sum of that, in
// double, and the layer is never run again.
Game masked_layer_game(const MaskedInput& input, const AffineLayer& layer, RowFunction g);
// The memory it keeps beside the batches.
double masked_layer_bytes(const MaskedInput& input, const AffineLayer& layer);

}  // namespace ascribe::core
