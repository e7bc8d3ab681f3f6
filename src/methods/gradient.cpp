// Gradient: a_i = df/dx_i, how fast the output grows with each input element.
// Source: Simonyan, Vedaldi, Zisserman, "Deep Inside Convolutional Networks" (2013), without the absolute value.
#include "passes/gradient.h"

#include "methods/method.h"

namespace ascribe::core::method_gradient {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  return append_gradient(r.b, r.at_x(r.model.outputs[0].value), r.seed, r.inputs, &r.notes);
}

const RegisterMethod gradient_method(
    {.name = "gradient",
     .title = "Gradient",
     .formula = "a_i = df/dx_i",
     .source = "Simonyan, Vedaldi, Zisserman 2013",
     .about = "The slope of the explained number with respect to every input element. It says what a small change of "
              "the input "
              "would do, not what the input has done.",
     .cost = "one forward and one backward pass",
     .use = "To see what the output is sensitive to; as a part of other methods.",
     .limits = "Not a share of the output: where the network is saturated it is small although the input matters. "
               "Through piecewise constant operations (floor, round, sign) it is 0.",
     .kind = AttributionKind::sensitivity,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_gradient
