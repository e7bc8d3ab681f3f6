// DeepLIFT Rescale: a_i = (x_i - b_i) m_i, where multipliers m go back through the network: a linear operation by its
// transpose, an activation by dy / dz, its slope between the baseline and x. The mean over the baselines.
// Source: Shrikumar, Greenside, Kundaje, "Learning Important Features Through Propagating Activation Differences"
// (2017).
#include "methods/relevance_support.h"

namespace ascribe::core::method_deeplift_rescale {
namespace {

std::vector<Value> graph(const AttributionRequest& r) { return Contributions(r).by(); }

const RegisterMethod deeplift_rescale(
    {.name = "deeplift_rescale",
     .title = "DeepLIFT Rescale",
     .number = 12,
     .formula = "a_i = (x_i - b_i) m_i, m_i = sum_j w_ij dy_j / dz_j m_j",
     .source = "Shrikumar, Greenside, Kundaje 2017",
     .about = "The difference of the output from its value at the baseline is handed back through differences of all "
              "neurons. An activation passes its share by the slope between baseline and input, so that saturated "
              "neurons count for what they did.",
     .cost = "two forward and one backward pass per baseline",
     .use = "As a fast stand-in for Integrated Gradients, with the same completeness.",
     .limits = "What a neuron's inputs do together is split by their size, not by their interaction. Depends on how "
               "the network is written down.",
     .baselines = true,
     .complete = true,
     .linear = true,
     .keeps = kept_for_multipliers,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_deeplift_rescale
