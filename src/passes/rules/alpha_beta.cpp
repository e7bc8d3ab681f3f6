// LRP-alpha-beta: i in N+ gets alpha z_ij / (sum over N+ of z) R_j, i in N- gets beta z_ij / (sum over N- of z) R_j,
// alpha + beta = 1, denominators without the bias. The share of a group without members is lost.
// Source: Bach et al. 2015, eq. 60, with beta as a signed number. z_plus is alpha = 1: Montavon et al. 2017, eq. 13.
#include <cmath>

#include "passes/rules/groups.h"

namespace ascribe::core::rule_alpha_beta {
namespace {

Value coefficient(const RuleRequest& r, double weight, bool positive) {
  if (weight == 0) return {};
  const Value sum = group_sum(r, positive);
  if (!sum.valid()) return {};
  return group_coefficient(r, share(r.b(), r.relevance, sum, {}, weight), positive);
}

Relevance split(const RuleRequest& r, double alpha, double beta) {
  const Value c = sum_of(r.b(), coefficient(r, alpha, true), coefficient(r, beta, false));
  if (c.valid()) return {c, r.map.x()};
  return {r.b().expand(r.b().scalar(0), Dims(r.b().shape(r.map.x())))};
}

Relevance apply(const RuleRequest& r) {
  const double alpha = r["alpha"], beta = r["beta"];
  if (std::abs(alpha + beta - 1) > 1e-9) {
    fail(ErrorKind::argument, "alpha_beta", "alpha + beta must be 1; got {} + {}", alpha, beta);
  }
  return split(r, alpha, beta);
}

const RegisterRule alpha_beta({.name = "alpha_beta",
                               .formula = "R_i = sum_j (alpha z_ij+ / sum_i z_ij+ + beta z_ij- / sum_i z_ij-) R_j",
                               .source = "Bach et al. 2015",
                               .conserves = Rule::Conserves::per_group,
                               .parameters = {{"alpha", 2, -1e6, 1e6, "the share of positive contributions"},
                                              {"beta", -1, -1e6, 1e6,
                                               "the share of negative contributions, 1 - alpha"}},
                               .apply = apply});

const RegisterRule z_plus({.name = "z_plus",
                           .formula = "R_i = sum_j z_ij+ / (sum_i z_ij+) R_j",
                           .source = "Montavon et al. 2017",
                           .conserves = Rule::Conserves::per_group,
                           .parameters = {},
                           .apply = [](const RuleRequest& r) { return split(r, 1, 0); }});

}  // namespace
}  // namespace ascribe::core::rule_alpha_beta
