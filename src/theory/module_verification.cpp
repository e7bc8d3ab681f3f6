#include "theory/module_verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "derivatives/mixed_terms.h"
#include "graph/builder.h"
#include "passes/modules.h"
#include "runtime/session.h"

namespace ascribe::core {

namespace {

constexpr int kSeriesOrder = 24;
constexpr int64_t kExactInputs = 10;  // of Deep SHAP, per neuron
constexpr double kNothing = 1e-9;     // of |f|: a change that is rounding, shared among anybody

// What verification needs to know of a layer-wise method.
struct ModuleMethod {
  std::string name;
  bool from_zero;    // expands at z = 0 and starts from f(x)
  bool both_groups;  // needs members in N+ and N-
  bool subsets;      // sums over parts of the inputs too, whose series must converge as well
};

const std::vector<ModuleMethod>& methods_of_modules() {
  static const std::vector<ModuleMethod> methods = {{"lrp_alpha_beta", true, true, false},
                                                    {"deep_taylor", true, true, false},
                                                    {"deeplift_rescale", false, false, false},
                                                    {"deep_shap", false, false, true},
                                                    {"deeplift_reveal_cancel", false, false, true}};
  return methods;
}

Graph module_graph(const Neurons& neurons) {
  Graph graph;
  Builder b(graph);
  b.set_name("module");
  const int64_t inputs = neurons.weights.shape()[0];
  const Value x = b.input("x", {Kind::real, {kBatch, inputs}});
  const Value z = b.add(b.matmul(x, b.constant(neurons.weights)), b.constant(neurons.bias));
  b.output("y", neurons.power == 0 ? b.op("sigmoid", {z}) : b.op("pow", {z, b.scalar(neurons.power)}));
  return graph;
}

Players element_players(int64_t inputs) { return make_players({"elements", {inputs}, {}, {}, nullptr}); }

Question question_of(const Neurons::Case& one, const Players& players, bool from_zero) {
  const auto inputs = std::ssize(one.x);
  const std::vector<double> baseline = from_zero ? std::vector<double>(one.x.size()) : one.baseline;
  return {{Tensor::of<double>({1, inputs}, one.x)}, one.neuron, Tensor::of<double>({1, inputs}, baseline), players};
}

// z_i, or its change since the baseline.
std::vector<double> contributions(const Neurons& neurons, const Question& question) {
  const int64_t inputs = neurons.weights.shape()[0], outputs = neurons.weights.shape()[1];
  std::vector<double> z;
  for (int64_t i = 0; i < inputs; ++i) {
    const double change = question.point[0].at(i) - question.baselines.at(i);
    z.push_back(neurons.weights.at(i * outputs + question.target) * change);
  }
  return z;
}

bool has_both_groups(const std::vector<double>& z) {
  const auto up = std::count_if(z.begin(), z.end(), [](double v) { return v > 0; });
  const auto down = std::count_if(z.begin(), z.end(), [](double v) { return v < 0; });
  return up > 0 && down > 0;
}

class ModuleCheck {
 public:
  ModuleCheck(const Neurons& neurons, const std::vector<int>& orders, int64_t most_terms)
      : neurons_(neurons),
        orders_(orders),
        most_terms_(most_terms),
        model_(module_graph(neurons), {.real = DType::f64}),
        sums_(model_, *std::max_element(orders.begin(), orders.end())),
        players_(element_players(inputs())) {}

  ModuleError check(const ModuleMethod& module) {
    result_ = {};
    result_.method = module.name;
    result_.neurons = neurons_.name;
    result_.inputs = inputs();
    result_.listed_order = listed_order();
    std::vector<Question> questions;
    for (const Neurons::Case& one : neurons_.cases) {
      Question question = question_of(one, players_, module.from_zero);
      if (speaks_of(module, question)) questions.push_back(std::move(question));
      else ++result_.left_out;
    }
    result_.cases = std::ssize(questions);
    if (!questions.empty()) measure(module, questions);
    return result_;
  }

 private:
  int64_t inputs() const { return neurons_.weights.shape()[0]; }

  double change(const Question& question) {
    const std::array rows = {stacked_rows(std::array{question.point[0], question.baselines})};
    const std::vector<double> f = model_.values(rows, std::array{question.target});
    return f[0] - f[1];
  }

  bool speaks_of(const ModuleMethod& module, const Question& question) {
    if (module.both_groups && !has_both_groups(contributions(neurons_, question))) return false;
    return std::abs(change(question)) > kNothing;
  }

  int listed_order() const {
    int order = 0;
    while (order < sums_.order() && cost_of_terms(inputs(), order + 1).terms <= most_terms_) ++order;
    return inputs() <= kExactPlayers ? order : 0;
  }

  void measure(const ModuleMethod& module, const std::vector<Question>& questions) {
    const Method& method = method_named(module.name);
    const Parameters parameters(method.name, method.parameters, {});
    const std::vector<Attribution> answers = attribute(method, model_, questions, parameters);
    std::vector<std::vector<double>> all(orders_.size()), inside(orders_.size());
    for (size_t q = 0; q < questions.size(); ++q) {
      const Question& question = questions[q];
      std::vector<double> a_star = answers[q].values;
      if (module.from_zero) {
        const double scale = change(question) / answers[q].output;
        for (double& value : a_star) value *= scale;
      }
      AllocationContext context;
      context.z = contributions(neurons_, question);
      const Expansion at = expansions_at_baselines(model_, question)[0];
      const ByOrder sums = running_sum({rule_by_order(module.name, sums_, at, context, {})});
      list_terms(module, at, context, sums);
      const bool converges = radius(module, at, context) > 1;
      result_.inside += converges ? 1 : 0;
      for (size_t k = 0; k < orders_.size(); ++k) {
        const double error = relative_error(sums[static_cast<size_t>(orders_[k])], a_star, a_star);
        all[k].push_back(error);
        if (converges) inside[k].push_back(error);
      }
    }
    for (size_t k = 0; k < orders_.size(); ++k) {
      result_.orders.push_back({orders_[k], mean_of(inside[k]), mean_of(all[k])});
    }
  }

  void list_terms(const ModuleMethod& module, const Expansion& at, const AllocationContext& context,
                  const ByOrder& sums) {
    if (result_.listed_order == 0) return;
    Listed listed;
    listed.add(allocation_rule(module.name), context, sums_.enumerate(at, result_.listed_order, most_terms_));
    const std::vector<double>& summed = sums[static_cast<size_t>(result_.listed_order)];
    const double difference = relative_error(listed.values, summed, listed.sizes);
    result_.listed_difference = std::max(result_.listed_difference, difference);
  }

  double radius(const ModuleMethod& module, const Expansion& at, const AllocationContext& context) {
    Coalitions sets(inputs());
    const std::vector<uint64_t> all = everyone(inputs());
    sets.add(std::span<const uint64_t>(all));
    for (const bool sign : {true, false}) {
      std::vector<int64_t> group;
      for (int64_t i = 0; i < inputs(); ++i) {
        if ((context.z[static_cast<size_t>(i)] > 0) == sign) group.push_back(i);
      }
      if (module.subsets) sets.add(std::span<const int64_t>(group));
    }
    double least = std::numeric_limits<double>::infinity();
    for (const auto& series : sums_.coefficients(at, sets, kSeriesOrder)) {
      least = std::min(least, radius_of_convergence(series));
    }
    return least;
  }

  const Neurons& neurons_;
  const std::vector<int>& orders_;
  int64_t most_terms_;
  ExplainedModel model_;
  OrderSums sums_;
  Players players_;
  ModuleError result_;
};

// ---- the neurons of a network ----

// What a layer gets as its input, at these rows.
Tensor values_at(const Graph& model, Value value, const Tensor& rows) {
  Graph graph = model;
  graph.outputs = {{"input of a layer", value, "float64"}};
  graph.drop_unread();
  Session session(std::move(graph), {.real = DType::f64});
  return session.run(std::array{rows})[0];
}

bool followed_by_sigmoid(const Graph& model, Value value) {
  return std::any_of(model.nodes.begin(), model.nodes.end(),
                     [&](const Node& node) { return node.op->name == "sigmoid" && node.inputs[0] == value; });
}

std::optional<Tensor> constant_of(const Graph& model, Value value) {
  if (model[value].op->name != "constant") return std::nullopt;
  return model[value].constant.cast(DType::f64);
}

// [outputs]: what is added to the products.
Tensor bias_of(const Graph& model, const Layer& layer, int64_t outputs) {
  Tensor bias(DType::f64, {outputs});
  const Node& linear = model[layer.linear];
  std::optional<Tensor> found;
  if (linear.inputs.size() > 2) found = constant_of(model, linear.inputs[2]);
  if (layer.sum != layer.linear) {
    const Node& sum = model[layer.sum];
    found = constant_of(model, sum.inputs[sum.inputs[0] == layer.linear ? 1 : 0]);
  }
  for (int64_t j = 0; found && found->size() == outputs && j < outputs; ++j) {
    bias.mutable_data<double>()[j] = found->at(j);
  }
  return bias;
}

struct Windows {
  Tensor weights;                         // [inputs, outputs]
  std::vector<std::vector<double>> rows;  // what a neuron sees: a row or a window of it
};

// Rows of the layer's input as they are.
std::optional<Windows> dense_windows(const Graph& model, const Layer& layer, const Tensor& values) {
  const Node& node = model[layer.linear];
  const auto weights = constant_of(model, node.inputs[1]);
  if (layer.operand != 0 || !weights || weights->shape().size() != 2 || node.op->name != "matmul") return std::nullopt;
  const bool transposed = node.attributes.has("transpose_b") && node.attributes.integer("transpose_b") != 0;
  const int64_t rows = weights->shape()[0], columns = weights->shape()[1];
  const int64_t inputs = transposed ? columns : rows, outputs = transposed ? rows : columns;
  Windows windows{Tensor(DType::f64, {inputs, outputs}), {}};
  for (int64_t i = 0; i < inputs; ++i) {
    for (int64_t j = 0; j < outputs; ++j) {
      windows.weights.mutable_data<double>()[i * outputs + j] =
          weights->at(transposed ? j * columns + i : i * columns + j);
    }
  }
  for (int64_t r = 0; r < values.size() / inputs; ++r) {
    windows.rows.emplace_back();
    for (int64_t i = 0; i < inputs; ++i) windows.rows.back().push_back(values.at(r * inputs + i));
  }
  return windows;
}

// Every place where a window of the convolution lies whole within the image.
std::optional<Windows> conv_windows(const Graph& model, const Layer& layer, const Tensor& values) {
  const Node& node = model[layer.linear];
  const auto weights = constant_of(model, node.inputs[1]);
  if (node.op->name != "conv" || !weights || weights->shape().size() != 4) return std::nullopt;
  const Shape& w = weights->shape();
  const Shape& v = values.shape();
  if (w[1] != v[1]) return std::nullopt;  // groups
  const int64_t outputs = w[0], inputs = w[1] * w[2] * w[3];
  Windows windows{Tensor(DType::f64, {inputs, outputs}), {}};
  for (int64_t j = 0; j < outputs; ++j) {
    for (int64_t i = 0; i < inputs; ++i) {
      windows.weights.mutable_data<double>()[i * outputs + j] = weights->at(j * inputs + i);
    }
  }
  for (int64_t n = 0; n < v[0]; ++n) {
    for (int64_t y = 0; y + w[2] <= v[2]; ++y) {
      for (int64_t x = 0; x + w[3] <= v[3]; ++x) {
        windows.rows.emplace_back();
        for (int64_t i = 0; i < inputs; ++i) {
          const int64_t channel = i / (w[2] * w[3]), row = y + i / w[3] % w[2], column = x + i % w[3];
          windows.rows.back().push_back(values.at(((n * v[1] + channel) * v[2] + row) * v[3] + column));
        }
      }
    }
  }
  return windows;
}

std::optional<Windows> windows_of(const Graph& model, const Layer& layer, const Tensor& values) {
  return layer.kind == LayerKind::dense ? dense_windows(model, layer, values) : conv_windows(model, layer, values);
}

}  // namespace

Neurons random_polynomial_neurons(int power, int64_t inputs, int64_t cases, uint64_t seed) {
  const Random random(seed, static_cast<uint64_t>(power));
  uint64_t next = 0;
  Neurons neurons{"random, power " + std::to_string(power),
                  Tensor(DType::f64, {inputs, cases}),
                  Tensor(DType::f64, {cases}),
                  power,
                  {}};
  for (double& w : neurons.weights.mutable_data<double>()) w = random.normal(next++);
  for (double& s : neurons.bias.mutable_data<double>()) s = random.normal(next++);
  for (int64_t j = 0; j < cases; ++j) {
    Neurons::Case one{{}, {}, j};
    for (int64_t i = 0; i < inputs; ++i) {
      one.x.push_back(random.normal(next++));
      one.baseline.push_back(random.normal(next++));
    }
    neurons.cases.push_back(std::move(one));
  }
  return neurons;
}

std::vector<Neurons> sigmoid_neurons(const Graph& model, const Tensor& rows, int64_t cases) {
  const Value input = model.inputs[0].value, target = model.outputs[0].value;
  std::vector<Neurons> all;
  for (const Layer& layer : find_layers(model, moved_by(model, std::array{input}), target)) {
    if (!followed_by_sigmoid(model, layer.sum)) continue;
    const Value x = model[layer.linear].inputs[layer.operand];
    const auto seen = windows_of(model, layer, values_at(model, x, rows));
    const auto reference = windows_of(model, layer, values_at(model, x, Tensor(DType::f64, rows.shape())));
    if (!seen || !reference) continue;
    const int64_t outputs = seen->weights.shape()[1];
    Neurons neurons{layer.name, seen->weights, bias_of(model, layer, outputs), 0, {}};
    const int64_t there = std::ssize(seen->rows) * outputs, count = std::min(cases, there);
    for (int64_t c = 0; c < count; ++c) {
      // A step without common factors with the number of neurons goes through all of them.
      const int64_t place = c * there / count;
      const auto row = static_cast<size_t>(place / outputs);
      neurons.cases.push_back({seen->rows[row], reference->rows[row], (place + c) % outputs});
    }
    all.push_back(std::move(neurons));
  }
  return all;
}

std::vector<std::string> module_methods() {
  std::vector<std::string> names;
  for (const ModuleMethod& module : methods_of_modules()) names.push_back(module.name);
  return names;
}

std::vector<ModuleError> verify_modules(const Neurons& neurons, const std::vector<int>& orders, int64_t most_terms) {
  ModuleCheck check(neurons, orders, most_terms);
  std::vector<ModuleError> results;
  for (const ModuleMethod& module : methods_of_modules()) {
    if (module.name == "deep_shap" && neurons.weights.shape()[0] > kExactInputs) continue;
    results.push_back(check.check(module));
  }
  return results;
}

Mean epsilon_against_gradient(ExplainedModel& model, std::span<const Question> questions, double epsilon) {
  const Method &lrp = method_named("lrp_epsilon"), &slopes = method_named("gradient_x_input");
  const Parameters small(lrp.name, lrp.parameters, {{"epsilon", fmt::format("{}", epsilon)}});
  const auto relevance = attribute(lrp, model, questions, small);
  const auto products = attribute(slopes, model, questions, Parameters(slopes.name, slopes.parameters));
  std::vector<double> errors;
  for (size_t q = 0; q < relevance.size(); ++q) {
    errors.push_back(relative_error(relevance[q].values, products[q].values, products[q].values));
  }
  return mean_of(errors);
}

}  // namespace ascribe::core
