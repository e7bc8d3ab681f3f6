// LRP-gamma: contributions with the sign of z_j count (1 + gamma) times, in numerator and denominator:
// z_j > 0: (z_ij + gamma z_ij+) / (z_j + gamma (sum_i z_ij+ + s_j+)); z_j < 0 with the negative parts; z_j = 0: none.
// Source: Montavon et al., "Layer-Wise Relevance Propagation: An Overview" (2019); for inputs of any sign Andeol 2021.
#include "passes/rules/groups.h"

namespace ascribe::core::rule_gamma {
namespace {

// z_j + gamma times the part of it that has the sign.
Value raised(const RuleRequest& r, double gamma, bool positive) {
  Builder& b = r.b();
  Value part = group_sum(r, positive);
  if (r.bias.valid()) part = sum_of(b, part, part_of(b, r.bias, positive ? Part::positive : Part::negative));
  return part.valid() ? b.add(r.z, b.mul(part, gamma)) : r.z;
}

Value coefficient(const RuleRequest& r, Value s, double gamma, bool positive) {
  const Value part = group_coefficient(r, s, positive);
  const Value all = r.map.backward(s);
  return part.valid() ? r.b().add(all, r.b().mul(part, gamma)) : all;
}

Relevance apply(const RuleRequest& r) {
  Builder& b = r.b();
  const double gamma = r["gamma"];
  const Value above = b.op("gate", {share(b, r.relevance, raised(r, gamma, true), {}), r.z});
  Value c = coefficient(r, above, gamma, true);
  if (!r.only_active()) {
    const Value below = b.op("gate", {share(b, r.relevance, raised(r, gamma, false), {}), b.op("neg", {r.z})});
    c = b.add(c, coefficient(r, below, gamma, false));
  }
  return {c, r.map.x()};
}

const RegisterRule gamma_rule({.name = "gamma",
                               .formula = "R_i = sum_j (z_ij + gamma z_ij+) / sum_i (z_ij + gamma z_ij+) R_j, z_j > 0",
                               .source = "Montavon et al. 2019",
                               .conserves = Rule::Conserves::without_bias,
                               .parameters = {{"gamma", 0.25, 0, 1e6, "how much more agreeing contributions count"}},
                               .apply = apply});

}  // namespace
}  // namespace ascribe::core::rule_gamma
