// LRP-alpha-beta: positive contributions get alpha z_ij / (sum of the positive z) a_j, negative ones
// beta z_ij / (sum of the negative z) a_j; alpha + beta = 1; z without the bias. From a = f(x).
// Source: Bach et al. 2015, with a signed beta. The share of a group without members is lost.
#include <cmath>

#include "methods/relevance_support.h"

namespace ascribe::core::method_lrp_alpha_beta {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  const double alpha = r.parameters.real("alpha"), beta = r.parameters.real("beta");
  if (std::abs(alpha + beta - 1) > 1e-9) {
    fail(ErrorKind::argument, "lrp_alpha_beta", "alpha + beta must be 1; got alpha={} and beta={}", alpha, beta);
  }
  RuleUse rule = parse_rule("alpha_beta");
  rule.values = {{"alpha", alpha}, {"beta", beta}};
  return relevance_by(r, RuleSet(rule));
}

const RegisterMethod lrp_alpha_beta(
    {.name = "lrp_alpha_beta",
     .title = "LRP-alpha-beta",
     .number = 10,
     .formula = "a_i = sum_j (alpha z_ij+ / sum_i z_ij+ + beta z_ij- / sum_i z_ij-) a_j, from a = f(x)",
     .source = "Bach, Binder, Montavon, Klauschen, Mueller, Samek 2015",
     .about = "Like LRP-epsilon, but contributions for and against a neuron are split apart, with weights alpha and "
              "beta. Denominators hold no bias, so that biases absorb nothing.",
     .cost = "one forward pass, and for each of alpha and beta that is not 0 another forward and backward pass; twice "
             "that where inputs can be negative",
     .use = "For images with ReLU networks: alpha=2, beta=-1 shows evidence for and against.",
     .limits = "A neuron without positive (or negative) contributions loses that group's share, which shows in the "
               "residual. The sign of the beta share follows the common notation alpha + beta = 1: other tools say "
               "beta=1 for our beta=-1.",
     .total = Total::output,
     .linear = true,
     .parameters = {real_parameter("alpha", 2, -1e6, 1e6, "the share of positive contributions"),
                    real_parameter("beta", -1, -1e6, 1e6, "the share of negative contributions; 1 - alpha"),
                    rules_parameter()},
     .keeps = kept_for_relevance,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_lrp_alpha_beta
