// Parameter randomisation (Adebayo et al., 2018, section 3): attributions of the network against those of the same
// network with random weights. An explanation of the network has to change with it.
//   Spearman's correlation of |a| and |a of the randomised network|
// A random weight is drawn from the weights of its own layer, so that signals keep their size; biases stay.
#include <algorithm>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "metrics/metric.h"
#include "metrics/statistics.h"
#include "passes/modules.h"

namespace ascribe::core::metric_parameter_randomisation {

namespace {

constexpr const char* kName = "parameter_randomisation";
constexpr uint64_t kStream = 97;

// Weights of convolutions and matrix products, from the output to the input.
std::vector<Value> weights_of(const Graph& graph) {
  std::vector<Value> inputs, weights;
  for (const Port& port : graph.inputs) inputs.push_back(port.value);
  const std::vector<Layer> layers = find_layers(graph, moved_by(graph, inputs), graph.outputs[0].value);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const Value weight = graph[layer->linear].inputs[1 - std::min<size_t>(layer->operand, 1)];
    const bool known = std::find(weights.begin(), weights.end(), weight) != weights.end();
    if (graph.is(weight, "constant") && !known) weights.push_back(weight);
  }
  return weights;
}

Tensor drawn_from(const Tensor& weights, uint64_t seed, uint64_t layer) {
  Tensor result = weights;
  const auto size = static_cast<uint64_t>(weights.size());
  const Random random(seed, kStream + (layer << 8));
  visit(weights.dtype(), [&]<class T>(T) {
    const auto from = weights.data<T>();
    const auto to = result.mutable_data<T>();
    parallel_for(weights.size(), 1 << 14, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) to[i] = from[random.below(i, size)];
    });
  });
  return result;
}

// The network that is explained, with nothing but the explained output.
Graph explained_graph(const ExplainedModel& model) {
  Graph graph = model.graph();
  graph.outputs.erase(graph.outputs.begin());
  graph.drop_unread();
  return graph;
}

std::shared_ptr<ExplainedModel> randomised_model(ExplainedModel& model, uint64_t seed, size_t layers) {
  Graph graph = explained_graph(model);
  const std::vector<Value> weights = weights_of(graph);
  for (size_t i = 0; i < layers; ++i) graph[weights[i]].constant = drawn_from(graph[weights[i]].constant, seed, i);
  ExplainOptions options = model.options();
  options.output = graph.outputs[0].name;
  options.readout = {};  // what is read of the output is in the graph already, and so is what was stepped over
  options.keep_sigmoid = true;
  return std::make_shared<ExplainedModel>(model.model().variant(std::move(graph)), options);
}

// How many layers are random at each stage, counted from the output.
std::vector<size_t> stages_of(const Parameters& parameters, size_t layers) {
  if (parameters.text("mode") == "all") return {layers};
  const size_t count = std::min(layers, static_cast<size_t>(parameters.integer("stages")));
  std::vector<size_t> stages;
  for (size_t i = 1; i <= count; ++i) stages.push_back((i * layers + count - 1) / count);
  return stages;
}

// Nothing where the randomised network gives no finite attribution.
std::vector<std::optional<Attribution>> answers_of(ExplainedModel& model, const MetricInput& input,
                                                   const MethodExplanations& one, std::span<const Question> questions) {
  try {
    const auto answers = attribute(one.method, model, questions, one.parameters, input.seed);
    return {answers.begin(), answers.end()};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    if (questions.size() == 1) return {std::nullopt};
  }
  std::vector<std::optional<Attribution>> answers;  // one at a time: the others may be finite
  for (const Question& question : questions) {
    answers.push_back(std::move(answers_of(model, input, one, std::span(&question, 1))[0]));
  }
  return answers;
}

class Randomisation {
 public:
  explicit Randomisation(const MetricInput& input) : input_(input) {
    const Graph graph = explained_graph(input.model);
    const std::vector<Value> weights = weights_of(graph);
    layers_ = weights.size();
    for (const Value weight : weights) bytes_ += graph[weight].constant.bytes();
    if (layers_ == 0) {
      fail(ErrorKind::unsupported, kName, "the network has no layer with weights that could be randomised");
    }
    scores_.assign(input.methods.size(), std::vector<Score>(input.questions.size()));
    reasons_.assign(input.methods.size(), std::vector<std::string>(input.questions.size()));
  }

  Scores run() {
    const std::vector<size_t> stages = stages_of(input_.parameters, layers_);
    for (size_t s = 0; s < stages.size(); ++s) {
      const std::shared_ptr<ExplainedModel> random = model_of(stages[s], stages.size());
      for (size_t m = 0; m < scores_.size(); ++m) compare(*random, m, stages[s]);
      report(input_.progress, "randomised networks", static_cast<int64_t>(s) + 1, std::ssize(stages));
    }
    for (size_t m = 0; m < scores_.size(); ++m) {
      for (size_t q = 0; q < scores_[m].size(); ++q) finish(scores_[m][q], reasons_[m][q]);
    }
    return std::move(scores_);
  }

 private:
  // Kept with the model if all stages take a small part of the memory.
  std::shared_ptr<ExplainedModel> model_of(size_t layers, size_t stages) {
    const auto make = [&] { return randomised_model(input_.model, input_.seed, layers); };
    if (bytes_ * stages > input_.model.memory() / 8) return make();
    return input_.model.kept<ExplainedModel>(fmt::format("randomised {} {}", layers, input_.seed), make);
  }

  void compare(ExplainedModel& random, size_t m, size_t layers) {
    const MethodExplanations& one = input_.methods[m];
    const auto answers = answers_of(random, input_, one, input_.questions);
    for (size_t q = 0; q < answers.size(); ++q) {
      if (!answers[q]) {
        reasons_[m][q] = "the attribution of the randomised network is not finite";
        continue;
      }
      const auto correlation =
          rank_correlation(absolute_values(one.attributions[q].values), absolute_values(answers[q]->values));
      if (!correlation) {
        reasons_[m][q] = "all values have the same size, for the network or for the randomised one";
        continue;
      }
      scores_[m][q].positions.push_back(static_cast<double>(layers) / static_cast<double>(layers_));
      scores_[m][q].curve.push_back(*correlation);
    }
  }

  void finish(Score& score, const std::string& reason) const {
    if (score.curve.empty()) {
      score = undefined_score(reason);
      return;
    }
    score.value =
        std::accumulate(score.curve.begin(), score.curve.end(), 0.0) / static_cast<double>(score.curve.size());
    if (input_.parameters.text("mode") == "all") score.positions = score.curve = {};  // a single point is not a curve
  }

  const MetricInput& input_;
  size_t layers_ = 0, bytes_ = 0;
  Scores scores_;
  std::vector<std::vector<std::string>> reasons_;  // [method][question]: why a stage has no correlation
};

Scores score_parameter_randomisation(const MetricInput& input) { return Randomisation(input).run(); }

const RegisterMetric registered({
    .name = kName,
    .title = "Parameter randomisation",
    .category = MetricCategory::randomisation,
    .better = Better::lower,
    .formula = "Spearman's correlation of |a| with |a| of the network whose weights are random",
    .source = "Adebayo, Gilmer, Muelly, Goodfellow, Hardt, Kim 2018",
    .about = "A sanity check: the weights of convolutions and matrix products are replaced by random ones, and the "
             "method is asked again. If the attribution stays what it was, it does not explain the network. Mode all "
             "randomises all layers at once; mode cascade one after another, starting at the output; the score is then "
             "the mean over the stages, and the curve shows each. A random weight is drawn from the weights of its own "
             "layer; biases "
             "stay. The random networks depend on the seed only, and are the same for all rows.",
    .cost = "the method's own cost, for each stage; one network is planned for each stage",
    .limits = "Methods that multiply by the input keep some correlation, since the input stays. A method can pass and "
              "still be wrong.",
    .parameters = {text_parameter("mode", "all", "all layers at once, or one after the other", {"all", "cascade"}),
                   integer_parameter("stages", 10, 1, 1000, "most stages of the cascade; layers are grouped evenly")},
    .score = score_parameter_randomisation,
});

}  // namespace

}  // namespace ascribe::core::metric_parameter_randomisation
