// Guided backpropagation: the gradient, except that every rectifier passes on only its positive part, and only where
// the rectifier was active itself.
// Source: Springenberg, Dosovitskiy, Brox, Riedmiller, "Striving for Simplicity: The All Convolutional Net" (2014).
#include "methods/method.h"
#include "passes/activations.h"
#include "passes/gradient.h"

namespace ascribe::core::method_guided_backprop {
namespace {

// Rectifiers rise in straight pieces: relu, leaky_relu and clip. Other activations pass their derivative.
Value guided(Builder& b, const Node& node, Value gradient) {
  const bool rectifies = is_piecewise_linear(*node.op) && traits_of(node).rises;
  return rectifies ? b.op("relu", {gradient}) : gradient;
}

std::vector<Value> graph(const AttributionRequest& r) {
  return append_gradient(r.b, r.at_x(r.model.outputs[0].value), r.seed, r.inputs, &r.notes, guided);
}

const RegisterMethod guided_backprop(
    {.name = "guided_backprop",
     .title = "Guided Backpropagation",
     .formula = "g_in = (dy/dz) max(g_out, 0) at every rectifier, the gradient elsewhere",
     .source = "Springenberg, Dosovitskiy, Brox, Riedmiller 2014",
     .about =
         "The gradient, but a rectifier hands back only what would raise the output. Rectifiers are ReLU, LeakyReLU "
         "and Clip; other activations hand back their derivative.",
     .cost = "one forward and one backward pass",
     .use = "For sharp pictures of what the features of a ReLU network respond to.",
     .limits = "Not faithful: much of the picture is decided by the input alone and stays when the weights above are "
               "randomised (Adebayo et al. 2018). Without rectifiers it is the gradient.",
     .kind = AttributionKind::sensitivity,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_guided_backprop
