// Gauss-Legendre quadrature on [0, 1]: n nodes integrate polynomials of degree 2n - 1 exactly.
#pragma once

#include <cstdint>
#include <vector>

namespace ascribe::core {

struct Quadrature {
  std::vector<double> nodes, weights;
};

// The rule with this many nodes, from left to right. Computed once, then remembered.
const Quadrature& gauss_legendre(int64_t count);

}  // namespace ascribe::core
