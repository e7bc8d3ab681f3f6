// Gradient: a_i = df/dx_i, how fast the output grows with each input element.
// Source: Simonyan, Vedaldi, Zisserman, "Deep Inside Convolutional Networks" (2013), without the absolute value.
#include "passes/gradient.h"

#include "methods/method.h"

namespace ascribe {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  return append_gradient(r.b, r.output, r.seed, r.inputs, &r.notes);
}

const RegisterMethod gradient_method(
    {.name = "gradient", .formula = "a_i = df/dx_i", .source = "Simonyan, Vedaldi, Zisserman 2013", .graph = graph});

}  // namespace
}  // namespace ascribe
