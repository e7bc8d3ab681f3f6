// The Hessian of a scalar whose moving input enters a linear layer L first. With f(x) = g(L(x)) and A the matrix of L,
//   H = A^T (Hessian of g) A,
// so the rest of the network is differentiated along the numbers behind L only, and L's transpose does the remainder.
#pragma once

#include "derivatives/derivatives.h"

namespace ascribe::core {

class HessianBehind {
 public:
  // `input`: of the graph whose first output is the scalar; `cut`: of that graph at that input.
  HessianBehind(const LinearPrefix& cut, size_t input, const SessionOptions& options);

  // Rows of the Hessian at these elements of the input, as rows of the input's shape.
  Tensor rows(std::span<const Tensor> point, std::span<const int64_t> elements, const Progress& progress);

 private:
  size_t input_;
  int64_t directions_;  // through the rest of the network, however many rows are asked for
  Session layer_, transposed_;
  Derivatives rest_;
};

}  // namespace ascribe::core
