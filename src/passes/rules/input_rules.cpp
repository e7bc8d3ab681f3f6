// Rules for the layer that sees the input. They share the relevance of z_j out by
// z_box:    x_i w_ij - low w_ij+ - high w_ij-, for inputs known to lie in [low, high];
// w_square: w_ij^2, for inputs of any size; flat: 1, to every input of the neuron alike.
// Source: Montavon et al., "Explaining nonlinear classification decisions with deep Taylor decomposition" (2017);
// flat: Lapuschkin et al. 2019. The bias takes no part.
#include "passes/rules/groups.h"

namespace ascribe::core::rule_input_rules {
namespace {

Relevance z_box(const RuleRequest& r) {
  Builder& b = r.b();
  const double low = r["low"], high = r["high"];
  if (!(low <= high)) fail(ErrorKind::argument, "z_box", "low must not exceed high; got {} and {}", low, high);
  const Value x = r.map.x();
  const Dims shape = b.shape(x);
  const auto bound = [&](double value) { return b.expand(b.scalar(value), shape); };
  Value z = r.map.forward(x);
  if (low != 0) z = b.sub(z, r.map.forward(bound(low), Part::positive));
  if (const Value part = high != 0 ? r.map.forward(bound(high), Part::negative) : Value{}; part.valid())
    z = b.sub(z, part);
  const Value s = share(b, r.relevance, z, {});
  Value relevance = b.mul(x, r.map.backward(s));
  if (low != 0) relevance = b.sub(relevance, b.mul(r.map.backward(s, Part::positive), low));
  if (const Value part = high != 0 ? r.map.backward(s, Part::negative) : Value{}; part.valid()) {
    relevance = b.sub(relevance, b.mul(part, high));
  }
  return {relevance};
}

// By the weights alone.
Relevance by_weights(const RuleRequest& r, Part part) {
  const Value z = r.map.forward(part_of(r.b(), r.map.x(), Part::ones), part);
  return {r.map.backward(share(r.b(), r.relevance, z, {}), part)};
}

const RegisterRule z_box_rule({.name = "z_box",
                               .formula = "R_i = sum_j (x_i w_ij - low w_ij+ - high w_ij-) / sum_i (the same) R_j",
                               .source = "Montavon et al. 2017",
                               .conserves = Rule::Conserves::always,
                               .parameters = {{"low", 0, -1e30, 1e30, "the smallest value an input can have"},
                                              {"high", 1, -1e30, 1e30, "the largest"}},
                               .apply = z_box});

const RegisterRule w_square({.name = "w_square",
                             .formula = "R_i = sum_j w_ij^2 / (sum_i w_ij^2) R_j",
                             .source = "Montavon et al. 2017",
                             .conserves = Rule::Conserves::always,
                             .parameters = {},
                             .apply = [](const RuleRequest& r) { return by_weights(r, Part::squared); }});

const RegisterRule flat({.name = "flat",
                         .formula = "R_i = sum_j 1 / (number of inputs of j) R_j",
                         .source = "Lapuschkin et al. 2019",
                         .conserves = Rule::Conserves::always,
                         .parameters = {},
                         .apply = [](const RuleRequest& r) { return by_weights(r, Part::ones); }});

}  // namespace
}  // namespace ascribe::core::rule_input_rules
