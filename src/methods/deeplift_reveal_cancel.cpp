// DeepLIFT RevealCancel: like Rescale, but the positive and the negative contributions to a neuron get multipliers
// dy+ / dz+ and dy- / dz- of their own, dy+ and dy- being what each group adds, before and after the other.
// Source: Shrikumar, Greenside, Kundaje 2017, section 3.5.3.
#include "methods/relevance_support.h"

namespace ascribe::core::method_deeplift_reveal_cancel {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  Contributions contributions(r);
  std::vector<Value> values = contributions.by(reveal_cancel(at_zero_of(r.parameters)));
  contributions.note_activations_alone();
  return values;
}

const RegisterMethod deeplift_reveal_cancel(
    {.name = "deeplift_reveal_cancel",
     .title = "DeepLIFT RevealCancel",
     .number = 14,
     .formula = "a_i = (x_i - b_i) m_i, m_i = sum_j w_ij dy_j+- / dz_j+- m_j by the sign of w_ij (x_i - b_i)",
     .source = "Shrikumar, Greenside, Kundaje 2017",
     .about = "The inputs that raise a neuron and those that lower it are two players, whose Shapley values are shared "
              "out within each group. Contributions that cancel stay visible.",
     .cost = "two forward passes, one more with the weights apart, and five backward passes per baseline",
     .use = "Where Rescale hides inputs because their effects cancel (minimum, AND).",
     .limits =
         "Applies where an activation follows a layer, directly or behind what only moves elements or takes "
         "maxima; everything else is Rescale, and a note says where. Jumps where an input of a neuron changes its "
         "sign.",
     .baselines = true,
     .complete = true,
     .linear = true,
     .parameters = {at_zero_parameter()},
     .keeps = kept_for_multipliers,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_deeplift_reveal_cancel
