// Gradient x Input: a_i = x_i df/dx_i, the first-order term of f at x towards the baseline 0.
// Source: Shrikumar, Greenside, Shcherbina, Kundaje, "Not Just a Black Box" (2016).
#include "methods/method.h"
#include "passes/gradient.h"

namespace ascribe::core::method_gradient_x_input {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  std::vector<Value> attributions = append_gradient(r.b, r.at_x(r.model.outputs[0].value), r.seed, r.inputs, &r.notes);
  for (size_t i = 0; i < attributions.size(); ++i) attributions[i] = r.b.mul(r.inputs[i], attributions[i]);
  return attributions;
}

const RegisterMethod gradient_x_input(
    {.name = "gradient_x_input",
     .title = "Gradient x Input",
     .number = 1,
     .formula = "a_i = x_i df/dx_i",
     .source = "Shrikumar, Greenside, Shcherbina, Kundaje 2016",
     .about = "Every input element times the slope of the explained number with respect to it: the first-order term of "
              "the Taylor "
              "expansion at x towards the input 0, whatever the baseline.",
     .cost = "one forward and one backward pass",
     .use = "As a first look, and as a reference: on ReLU networks LRP-epsilon is the same for a small epsilon.",
     .limits = "Knows the first order only; all interactions and curvature are left out. An element that is 0 gets 0.",
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_gradient_x_input
