// SmoothGrad squared: a_i = mean over draws of (df/dx_i)^2 at x + N(0, sigma^2), sigma = noise * (max x - min x).
// Source: Hooker, Erhan, Kindermans, Kim, "A Benchmark for Interpretability Methods in Deep Neural Networks" (2019),
// section 4.1.3; the noise as in Smilkov et al. 2017.
#include "methods/noisy_gradients.h"

namespace ascribe::core::method_smooth_grad_squared {
namespace {

std::vector<Value> graph(const AttributionRequest& request) {
  return append_mean_over_noise(request, [](Builder& b, Value slopes) { return b.mul(slopes, slopes); });
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  return mean_over_noise(model, questions, run, [](double slope) { return slope * slope; });
}

const RegisterMethod smooth_grad_squared(
    {.name = "smooth_grad_squared",
     .title = "SmoothGrad squared",
     .formula = "a_i = mean of (df/dx_i)^2 at x + N(0, sigma^2), sigma = noise * (max x - min x)",
     .source = "Hooker, Erhan, Kindermans, Kim 2019",
     .about = "The squared gradient averaged over noisy copies of the input. Slopes of either sign count alike and do "
              "not cancel, so it shows where the output is sensitive around the input, not in which direction.",
     .cost = "one forward and one backward pass for each of `samples` draws",
     .use = "To rank input elements by how sensitive the output is to them.",
     .limits = "Without signs, and in units of the squared slope: neither a share of the output nor a slope. A random "
               "mean: the standard error of every value says how far another draw could be, and elements that are "
               "treated alike get the same in the mean over draws only.",
     .kind = AttributionKind::sensitivity,
     .dummy = true,
     .symmetric = true,
     .parameters = noise_parameters(),
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_smooth_grad_squared
