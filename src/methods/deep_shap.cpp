// Deep SHAP: multipliers go back through modules (a layer and its activation); each neuron shares its multiplier out by
// the Shapley values of its inputs' contributions. component: layer and activation separately, as the SHAP library
// does, which is DeepLIFT Rescale. The mean over the baselines. Source: Lundberg, Lee, "A Unified Approach to
// Interpreting Model Predictions" (2017).
#include <algorithm>

#include "base/student.h"
#include "graph/work.h"
#include "methods/relevance_support.h"
#include "passes/rules/neuron_shapley.h"

namespace ascribe::core::method_deep_shap {
namespace {

constexpr int64_t kMostGroups = 8;  // each costs a backward pass; more tell little more about the spread

// What each group of permutations gives alone, side by side: [R, groups, ...].
Value by_groups(const AttributionRequest& r, Contributions& contributions, NeuronShapley& neurons, int64_t groups) {
  Builder& b = r.b;
  std::vector<Value> parts;
  for (int64_t g = 0; g < groups; ++g) {
    const Value part = contributions.by(neurons.rule_of_group(g))[0];
    Dims shape = b.shape(part);
    shape.insert(shape.begin() + 1, 1);
    parts.push_back(b.reshape(part, shape));
  }
  return b.concat(std::move(parts), 1);
}

// Whether the largest values, of which a sampled layer holds several at a time, fit into memory; if not, the graph will
// be refused, and need not grow first.
bool fits(const Graph& graph, size_t memory) {
  constexpr int64_t kLeastBytes = 4 * 4;  // of a real, four at a time
  return std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    const int64_t elements = element_count(at(node.type.shape, 1));
    return static_cast<size_t>(saturating_multiply(elements, kLeastBytes)) > memory;
  });
}

void note_samples(const AttributionRequest& r, const NeuronShapleyOptions& options) {
  std::string note = fmt::format("neurons with more than {} inputs are sampled: {} permutations and their reverses",
                                 options.exact_inputs, options.permutations);
  if (options.groups > 1) {
    note += fmt::format("; 95 % intervals are +- {:.3g} standard errors, from {} {}",
                        student_quantile(0.95, static_cast<double>(options.groups - 1)), options.groups,
                        options.groups == options.permutations ? "pairs" : "groups of pairs");
  } else {
    note += "; a single pair tells no standard error";
  }
  r.notes.push_back(note);
}

std::vector<Value> graph(const AttributionRequest& r) {
  Contributions contributions(r);
  if (r.parameters.text("granularity") == "component") return contributions.by();
  const int64_t samples = r.parameters.integer("samples");
  const NeuronShapleyOptions options{.exact_inputs = r.parameters.integer("exact"),
                                     .permutations = samples,
                                     .groups = std::min(samples, kMostGroups),
                                     .most = r.parameters.integer("most"),
                                     .seed = r.random_seed,
                                     .at_zero = at_zero_of(r.parameters)};
  NeuronShapley neurons(options);
  std::vector<Value> values = contributions.by(neurons.rule());
  if (neurons.evaluations() > options.most) {
    fail(ErrorKind::argument, "deep_shap",
         "the neurons of one layer would be evaluated {} times for each row; the budget is most={}; raise it, lower "
         "samples, or use granularity=component",
         neurons.evaluations(), options.most);
  }
  contributions.note_activations_alone();
  if (!neurons.sampled()) return values;
  r.sampled = true;
  note_samples(r, options);
  if (options.groups > 1 && values.size() == 1 && fits(r.b.graph(), r.group_memory)) {
    r.groups = {by_groups(r, contributions, neurons, options.groups), neurons.group_sizes()};
  }
  return values;
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
     .cost =
         "component: two forward and one backward pass per baseline; module: besides, every neuron 2^inputs times "
         "(up to `exact` inputs) or 4 samples times its inputs, and for standard errors a backward pass for each of up "
         "to 8 groups of samples",
     .use = "For an approximation to Shapley values with a background of baselines.",
     .limits = "Composing neurons' Shapley values does not give the network's. Module granularity is sampled for "
               "neurons with many inputs; each sample is complete, so the residual does not show its error: the "
               "standard errors do, from independent groups of samples. It is for small networks; large ones need "
               "granularity=component. An activation that follows no layer is Rescale, and a note says where.",
     .baselines = true,
     .complete = true,
     .linear = true,
     .parameters = {text_parameter("granularity", "module", "a layer with its activation, or each of them alone",
                                   {"module", "component"}),
                    integer_parameter("samples", 16, 1, 100000, "permutations per neuron, each used both ways"),
                    integer_parameter("exact", 10, 1, 16, "neurons with at most so many inputs take all subsets"),
                    at_zero_parameter(),
                    integer_parameter("most", int64_t{1} << 27, 1, int64_t{1} << 40,
                                      "evaluations that the neurons of one layer may cost per row")},
     .keeps = kept_for_multipliers,
     .traces = true,
     .graph = graph});

}  // namespace
}  // namespace ascribe::core::method_deep_shap
