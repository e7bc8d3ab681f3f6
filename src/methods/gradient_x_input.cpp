// Gradient x Input: a_i = x_i df/dx_i, the first-order term of f at x towards the baseline 0.
// Source: Shrikumar, Greenside, Shcherbina, Kundaje, "Not Just a Black Box" (2016).
#include "methods/method.h"
#include "passes/gradient.h"

namespace ascribe {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  std::vector<Value> attributions = append_gradient(r.b, r.output, r.seed, r.inputs, &r.notes);
  for (size_t i = 0; i < attributions.size(); ++i) attributions[i] = r.b.mul(r.inputs[i], attributions[i]);
  return attributions;
}

const RegisterMethod gradient_x_input({.name = "gradient_x_input",
                                       .formula = "a_i = x_i df/dx_i",
                                       .source = "Shrikumar, Greenside, Shcherbina, Kundaje 2016",
                                       .graph = graph});

}  // namespace
}  // namespace ascribe
