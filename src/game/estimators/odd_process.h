// A Gaussian process over coalitions, for the odd half of a game: y(S) = (v(S) - v(N without S)) / 2, which alone
// decides about Shapley values. Coalitions are vectors s of signs. Its mean is linear in s, with unknown slopes; around
// it
//   all odd orders     cov(s, t) ~ sinh(c sum of w_i s_i t_i): sets of players weigh the product of their tanh(c w_i)
//   the third order    cov(s, t) ~ p + 6 e3, elementary symmetric functions of the w_i s_i t_i
// plus, for sets of players that are given, v times the product of their s_i t_i;
// plus noise, for what is of no order that the process knows. y(N) is known without noise. Given values at some
// coalitions, the expected function has Shapley values in closed form: of a product of an odd number k of signs each
// member gets 2 / k. So has their covariance.
// Source: Rasmussen, Williams 2006, section 2.7 (unknown slopes); Rundel et al. 2026 (products over players).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "game/estimators/cholesky.h"

namespace ascribe::core {

// Of its members' signs the product, which varies on its own.
struct OddSet {
  std::vector<int64_t> members;  // an odd number of them
  double variance = 0;           // of its coefficient, in units of the process
};

struct OddKernel {
  std::vector<double> weights;    // of the players, w; they sum to 1
  double steepness = 1;           // c; 0: the third order alone
  double noise = 0;               // variance, in units of the process
  bool slopes = true;             // unknown; false: as likely as the kernel says
  std::vector<OddSet> sets = {};  // some more than the kernel says
};

// Rows are vectors of signs [rows, players]; the last one is everyone's, without noise.
class OddProcess {
 public:
  OddProcess(const OddKernel& kernel, std::vector<double> rows, std::vector<double> y);

  bool solved() const { return solved_; }        // false: too close to singular
  double log_likelihood() const;                 // of y, up to a constant; with the best scale and any slopes
  double variance() const { return variance_; }  // the best scale
  double degrees_of_freedom() const { return freedom_; }
  // The mean square of what is missed at each row if the others predict it, in units of what is expected. 1: the
  // process knows how good it is.
  double calibration() const;
  std::vector<double> at(std::span<const double> rows) const;  // expected values
  struct Shapley {
    std::vector<double> values, variances;  // variances in units of variance()
  };
  Shapley shapley() const;
  // Of each player the sum of squares of the expected coefficients of sets of three that it belongs to.
  std::vector<double> strength_in_threes() const;
  // Of the product of each set, how much of what the process has to explain goes with it: the squared sum of products
  // times alpha, in units of what it is on average over all signs.
  std::vector<double> surprises(std::span<const std::vector<int64_t>> sets) const;
  // Its own sets with the variances under which what it expects of them is likelier (a step of EM).
  std::vector<OddSet> likelier_sets() const;

 private:
  std::vector<double> unexplained() const;  // Q = K^-1 - K^-1 X (X' K^-1 X)^-1 X' K^-1
  std::vector<double> covariance(std::span<const double> a, std::span<const double> b) const;
  void add_sets(std::span<const double> a, std::span<const double> b, std::vector<double>& covariance) const;
  std::vector<double> shapley_of_kernel() const;   // [rows, players]
  std::vector<double> shapley_covariance() const;  // with itself, per player

  OddKernel kernel_;
  int64_t players_, size_;
  std::vector<double> rows_, y_;
  std::unique_ptr<Cholesky> factor_, normal_;  // of the covariance, and of X' K^-1 X
  std::vector<double> slopes_, alpha_;         // alpha: K^-1 (y - X slopes)
  std::vector<double> whitened_;               // L^-1 X
  double variance_ = 0, freedom_ = 1;
  bool solved_ = false;
};

}  // namespace ascribe::core
