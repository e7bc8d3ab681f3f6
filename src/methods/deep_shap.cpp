// Deep SHAP: multipliers go back through modules (a layer and its activation); each neuron shares its multiplier out by
// the Shapley values of its inputs' contributions. component: layer and activation separately, as the SHAP library
// does, which is DeepLIFT Rescale. The mean over the baselines. Source: Lundberg, Lee, "A Unified Approach to
// Interpreting Model Predictions" (2017).
#include "methods/relevance_support.h"

namespace ascribe::core::method_deep_shap {
namespace {

std::vector<Value> graph(const AttributionRequest& r) {
  if (r.parameters.text("granularity") == "component") return contributions_by(r);
  NeuronShapleyCost cost;
  const NeuronShapleyOptions options{.exact_inputs = r.parameters.integer("exact"),
                                     .permutations = r.parameters.integer("samples"),
                                     .most = r.parameters.integer("most"),
                                     .seed = r.random_seed};
  std::vector<Value> contributions = contributions_by(r, neuron_shapley(options, &cost));
  if (cost.evaluations > options.most) {
    fail(ErrorKind::argument, "deep_shap",
         "the neurons of one layer would be evaluated {} times for each row; the budget is most={}; raise it, lower "
         "samples, or use granularity=component",
         cost.evaluations, options.most);
  }
  if (cost.sampled) {
    r.sampled = true;
    r.notes.push_back(fmt::format("neurons with more than {} inputs are sampled: {} permutations and their reverses",
                                  options.exact_inputs, options.permutations));
  }
  return contributions;
}

const RegisterMethod deep_shap(
    {.name = "deep_shap",
     .title = "Deep SHAP",
     .number = 13,
     .formula =
         "a_i = (x_i - b_i) m_i, m_i = sum_j phi_ij / dx_i m_j, phi_ij the Shapley values of sigma(sum z_ij + s)",
     .source = "Lundberg, Lee 2017",
     .about =
         "Shapley values neuron by neuron, put together by the chain rule of multipliers. Module granularity takes "
         "a layer and its activation together, as the definition says; component takes them apart, which is what "
         "the SHAP library computes and equals DeepLIFT Rescale.",
     .cost = "component: two forward and one backward pass per baseline; module: besides, every neuron 2^inputs times "
             "(up to `exact` inputs) or 4 samples times its inputs",
     .use = "For an approximation to Shapley values with a background of baselines.",
     .limits = "Composing neurons' Shapley values does not give the network's. Module granularity is sampled for "
               "neurons with many inputs; each sample is complete, so the residual does not show its error. It is for "
               "small networks; large ones need granularity=component.",
     .baselines = true,
     .complete = true,
     .linear = true,
     .parameters = {text_parameter("granularity", "module", "a layer with its activation, or each of them alone",
                                   {"module", "component"}),
                    integer_parameter("samples", 16, 1, 100000, "permutations per neuron, each used both ways"),
                    integer_parameter("exact", 10, 1, 16, "neurons with at most so many inputs take all subsets"),
                    integer_parameter("most", int64_t{1} << 27, 1, int64_t{1} << 40,
                                      "evaluations that the neurons of one layer may cost per row")},
     .keeps = kept_for_multipliers,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_deep_shap
