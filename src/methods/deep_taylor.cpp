// Deep Taylor decomposition: LRP with the z+ rule (alpha = 1, beta = 0), a_i = sum over j of z_ij+ / (sum of z+) a_j;
// for the layer that sees the input also z^B (inputs within bounds) or w^2 (inputs of any size).
// Source: Montavon, Lapuschkin, Binder, Samek, Mueller, "Explaining nonlinear classification decisions with deep Taylor
// decomposition" (2017).
#include "methods/relevance_support.h"

namespace ascribe::core::method_deep_taylor {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  RuleSet rules(parse_rule("z_plus"));
  const std::string& input = r.parameters.text("input");
  if (input == "z_box") {
    rules.add(fmt::format("first:z_box(low={},high={})", r.parameters.real("low"), r.parameters.real("high")));
  }
  if (input == "w_square") rules.add("first:w_square");
  return relevance_by(r, rules);
}

const RegisterMethod deep_taylor(
    {.name = "deep_taylor",
     .title = "Deep Taylor",
     .number = 11,
     .formula = "a_i = sum_j z_ij+ / (sum_i z_ij+) a_j, from a = f(x)",
     .source = "Montavon, Lapuschkin, Binder, Samek, Mueller 2017",
     .about = "Every neuron splits its relevance among the inputs that speak for it: a first-order Taylor expansion of "
              "the relevance at a root point. The same as LRP-alpha-beta with alpha=1, beta=0.",
     .cost = "two forward and one backward pass; twice that where inputs can be negative",
     .use = "For smooth maps of positive evidence on ReLU networks, with input=z_box for images of known range.",
     .limits = "Shows no evidence against. A neuron without positive contributions loses its relevance, which shows in "
               "the residual. Average pooling splits in proportion to the values; rules=pool:flat splits equally, as "
               "other tools do.",
     .total = Total::output,
     .linear = true,
     .parameters = {text_parameter("input", "z_plus", "the rule of the first layer", {"z_plus", "z_box", "w_square"}),
                    real_parameter("low", 0, -1e30, 1e30, "for z_box: the smallest value an input can have"),
                    real_parameter("high", 1, -1e30, 1e30, "for z_box: the largest"), rules_parameter()},
     .keeps = kept_for_relevance,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_deep_taylor
