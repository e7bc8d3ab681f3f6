// All Taylor terms of f(b + sum over p of t_p D_p) around t = 0 up to an order K, for m directions D_p ("players"):
//   I(k) = 1 / k! d^k f / dt^k,  k a vector of m degrees with 1 <= |k| <= K.
// Jets run along the lattice directions sum over p of (j_p / K) D_p, |j| = K, of which there are C(m + K - 1, K); their
// coefficients are values of homogeneous polynomials, from which the terms follow by interpolation and
// differences (Griewank, Utke, Walther, Mathematics of Computation 69, 2000). docs/theory/mixed-terms.md.
#pragma once

#include <vector>

#include "derivatives/derivatives.h"

namespace ascribe::core {

struct TermCost {
  int64_t terms = 0;       // C(m + K, K) - 1
  int64_t directions = 0;  // C(m + K - 1, K), and one more that checks the result
  int64_t passes = 0;      // forward passes' worth of linear operations: (K + 1) per direction
};
// Before anything starts; saturates instead of overflowing.
TermCost cost_of_terms(int64_t players, int order);

struct MixedTerm {
  std::vector<int> degrees;  // one per player
  double value = 0;
};

// How well the terms of one order are determined.
struct Conditioning {
  int order = 0;
  double amplification = 0;  // a bound for |error of a term| / |error of a jet coefficient|
  double error_bound = 0;    // amplification * rounding error of the largest coefficient
  double largest = 0;        // jet coefficient of this order along any direction
  double sum = 0;            // of the terms of this order
  double check = 0;          // sum minus the coefficient along the diagonal, which was not used
};

struct MixedTerms {
  double constant = 0;  // f(b)
  std::vector<MixedTerm> terms;
  std::vector<Conditioning> orders;  // 1 .. K
  double remainder = 0;              // f(b + sum of all D_p) - f(b) - sum of the terms
};

struct MixedTermsOptions {
  int order = 2;
  int64_t most_terms = int64_t{1} << 20;  // more are refused, with the cost stated
};

// `players`: m directions, as rows of the input's shape.
MixedTerms mixed_terms(Derivatives& f, std::span<const Tensor> point, const Tensor& players,
                       const MixedTermsOptions& options, const Progress& progress = {});

}  // namespace ascribe::core
