// LRP-epsilon: R_i = sum over j of z_ij / (z_j + epsilon sign(z_j)) R_j, z_j with the bias, sign(0) = +.
// Source: Bach et al., "On Pixel-Wise Explanations ..." (2015), eq. 58. There is no other guard against 0.
#include "passes/rules/rule.h"

namespace ascribe::core::rule_epsilon {
namespace {

Relevance apply(const RuleRequest& r) {
  const double epsilon = r["epsilon"];
  // Behind relu the activation may stand for z: they differ only where there is no relevance, and z need not be kept.
  const Value z = r.only_active() && epsilon > 0 ? r.relevance.factor : r.z;
  return {r.map.backward(share(r.b(), r.relevance, z, {epsilon, false})), r.map.x()};
}

const RegisterRule epsilon({.name = "epsilon",
                            .formula = "R_i = sum_j z_ij / (z_j + epsilon sign(z_j)) R_j",
                            .source = "Bach et al. 2015",
                            .conserves = Rule::Conserves::without_bias,
                            .parameters = {{"epsilon", 1e-6, 0, 1e30, "keeps denominators from 0, and absorbs"}},
                            .apply = apply});

}  // namespace
}  // namespace ascribe::core::rule_epsilon
