// Integrated Gradients: a_i = (x_i - b_i) * integral over t in [0, 1] of df/dx_i (b + t (x - b)).
// Source: Sundararajan, Taly, Yan, "Axiomatic Attribution for Deep Networks" (2017), equation 1. The mean over several
// baselines. The integral is a Gauss-Legendre sum (path_integral.h).
#include "methods/method.h"
#include "methods/path_integral.h"

namespace ascribe::core::method_integrated_gradients {
namespace {

constexpr int64_t kCompiledSteps = 32;
constexpr int64_t kMostNodes = 512;

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  std::vector<PathStarts> starts;
  for (const Question& question : questions) starts.push_back({effective_baselines(model, question), {}});
  return attribution_of_paths(model, questions, starts, path_rule(run.parameters), run.progress);
}

std::vector<Value> graph(const AttributionRequest& r) {
  const int64_t steps = r.parameters.integer("steps");
  if (steps > 0) return append_path_integral(r, steps);
  r.notes.push_back(fmt::format("a graph has a fixed number of nodes; steps=0 stands for {}", kCompiledSteps));
  return append_path_integral(r, kCompiledSteps);
}

const RegisterMethod integrated_gradients(
    {.name = "integrated_gradients",
     .title = "Integrated Gradients",
     .number = 6,
     .formula = "a_i = (x_i - b_i) * integral over t in [0, 1] of df/dx_i at b + t (x - b)",
     .source = "Sundararajan, Taly, Yan 2017",
     .about = "The slopes along the straight path from the baseline to x, added up: each step of the path gives its "
              "small change of f to the elements that moved. The sum over all elements is f(x) - f(b).",
     .cost = "one forward and one backward pass for each node of the path: 8 to 16 for smooth networks, up to `most` "
             "for networks with kinks",
     .use = "When the values must sum to the change of the output, and the network can be differentiated.",
     .limits = "The points between b and x may be unlike any data. With ReLU and max-pooling the slopes jump along the "
               "path and the integral converges slowly; the residual says what is missing.",
     .baselines = true,
     .complete = true,
     .dummy = true,
     .symmetric = true,
     .linear = true,
     .parameters = path_parameters(kMostNodes),
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_integrated_gradients
