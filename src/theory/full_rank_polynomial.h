// The paper's polynomial with all of its coefficients free: f = sum of c_i x_i + sum over i <= j of c_ij x_i x_j, drawn
// at random, so that the matrix c_ij has full rank. (The bundled polynomial.onnx is trained, and its pairs have
// rank 64.)
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// Of images [N, 1, side, side] to one number. Terms of both orders have the same size for pixels between 0 and 1.
Graph full_rank_polynomial(int64_t side, uint64_t seed);

}  // namespace ascribe::core
