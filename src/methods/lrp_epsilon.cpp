// LRP-epsilon: a_i = sum over j of z_ij / (z_j + epsilon sign(z_j)) a_j, layer by layer from a = f(x), z_j with its
// bias. Source: Bach, Binder, Montavon, Klauschen, Mueller, Samek, "On Pixel-Wise Explanations for Non-Linear
// Classifier Decisions by Layer-Wise Relevance Propagation" (2015).
#include "methods/relevance_support.h"

namespace ascribe::core::method_lrp_epsilon {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  const double epsilon = r.parameters.real("epsilon");
  RuleUse rule = parse_rule("epsilon");
  rule.values["epsilon"] = epsilon;
  if (epsilon == 0)
    r.notes.push_back("epsilon is 0: a neuron whose z is 0 makes the attribution infinite or undefined");
  return relevance_by(r, RuleSet(rule));
}

const RegisterMethod lrp_epsilon(
    {.name = "lrp_epsilon",
     .title = "LRP-epsilon",
     .number = 9,
     .formula = "a_i = sum_j z_ij / (z_j + epsilon sign(z_j)) a_j, from a = f(x)",
     .source = "Bach, Binder, Montavon, Klauschen, Mueller, Samek 2015",
     .about = "The output is handed back layer by layer: every neuron splits its relevance among its inputs by what "
              "they contributed to its pre-activation. Epsilon keeps denominators from 0 and absorbs weak relevance.",
     .cost = "one forward and one backward pass",
     .use = "For networks of ReLU layers; with `rules` for the composites of the LRP literature, and for transformers "
            "(attn).",
     .limits = "Biases absorb relevance, which shows in the residual. On ReLU networks with a small epsilon it is "
               "Gradient x Input and knows no baseline.",
     .total = Total::output,
     .linear = true,
     .parameters = {real_parameter("epsilon", 1e-6, 0, 1e30,
                                   "added to denominators with their sign; 0: no guard at all"),
                    rules_parameter()},
     .keeps = kept_for_relevance,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_lrp_epsilon
