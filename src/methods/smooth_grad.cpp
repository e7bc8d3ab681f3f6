// SmoothGrad: a_i = mean over draws of df/dx_i at x + N(0, sigma^2), sigma = noise * (max x - min x).
// Source: Smilkov, Thorat, Kim, Viegas, Wattenberg, "SmoothGrad: removing noise by adding noise" (2017), equation 1.
#include "methods/noisy_gradients.h"

namespace ascribe::core::method_smooth_grad {
namespace {

std::vector<Value> graph(const AttributionRequest& request) {
  return append_mean_over_noise(request, [](Builder&, Value slopes) { return slopes; });
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  return mean_over_noise(model, questions, run, [](double slope) { return slope; });
}

const RegisterMethod smooth_grad(
    {.name = "smooth_grad",
     .title = "SmoothGrad",
     .formula = "a_i = mean of df/dx_i at x + N(0, sigma^2), sigma = noise * (max x - min x)",
     .source = "Smilkov, Thorat, Kim, Viegas, Wattenberg 2017",
     .about = "The gradient averaged over noisy copies of the input: slopes that change with the least disturbance "
              "average out, those that stay remain.",
     .cost = "one forward and one backward pass for each of `samples` draws",
     .use = "To make a gradient picture of a network with many kinks readable.",
     .limits = "A random mean: the standard error of every value says how far another draw could be, and elements that "
               "are treated alike get the same in the mean over draws only. Not a share of the output.",
     .kind = AttributionKind::sensitivity,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = noise_parameters(),
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_smooth_grad
