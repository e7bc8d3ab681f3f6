#include "passes/relevance.h"

#include <algorithm>
#include <map>

#include "passes/activations.h"
#include "passes/differentiable.h"
#include "passes/modules.h"

namespace ascribe::core {

namespace {

// Whether a factor of a product only scales the other one: bounded like sigmoid, softmax or a clipped line, or shifted
// like 1 + tanh or 1 + erf, seen through what moves or scales it; and what divides. (Ali et al. 2022; Arras et al.
// 2017: the signal takes all.)
bool is_gate(const Graph& graph, Value value, bool shifted = false, int depth = 8) {
  if (depth == 0) return false;
  const Node& node = graph[value];
  const std::string& op = node.op->name;
  const Traits traits = traits_of(node);
  if (traits.bounded && (traits.sign == Sign::never_negative || op == "clip")) return true;
  if (traits.bounded && traits.rises) return shifted;
  if (op == "reciprocal") return true;
  if (traits.moves && op != "concat") return is_gate(graph, node.inputs[0], shifted, depth - 1);
  if (op != "mul" && op != "add" && op != "sub" && op != "div") return false;
  const bool left = graph[node.inputs[0]].op->op_class == OpClass::source;
  const bool right = graph[node.inputs[1]].op->op_class == OpClass::source;
  if (left == right || graph.is(node.inputs[left ? 1 : 0], "input")) return false;
  return is_gate(graph, node.inputs[left ? 1 : 0], shifted || op == "add" || op == "sub", depth - 1);
}

class RelevanceSweep {
 public:
  RelevanceSweep(Builder& builder, const Graph& model, const Placed& at_x, std::vector<bool> moved,
                 const RuleSet& rules, std::vector<Layer> layers)
      : b_(builder), model_(model), at_x_(at_x), moved_(std::move(moved)), rules_(rules), layers_(std::move(layers)) {
    const std::vector<RuleUse> uses = rules.resolved(layers_);
    for (size_t i = 0; i < layers_.size(); ++i) layer_at_[layers_[i].sum] = {&layers_[i], uses[i]};
  }

  void add(Value value, const Relevance& relevance) {
    const auto [found, fresh] = relevance_.try_emplace(value, relevance);
    if (fresh) return;
    Relevance& sum = found->second;
    if (sum.factor == relevance.factor) sum.amount = b_.add(sum.amount, relevance.amount);
    else sum = {b_.add(plain(b_, sum), plain(b_, relevance))};
  }

  void run(Value target) {
    target_ = target;
    for (int32_t i = target.index; i >= 0; --i) {
      const auto found = relevance_.find({i});
      if (found == relevance_.end() || !moved_[static_cast<size_t>(i)]) continue;
      const Node node = model_[{i}];
      if (node.op->op_class == OpClass::source) continue;
      b_.set_name(node.name);
      b_.set_where("relevance of " + describe(node));
      hand_on({i}, found->second);
    }
  }

  Value relevance_of(Value value) {
    const auto found = relevance_.find(value);
    if (found != relevance_.end()) return plain(b_, found->second);
    const Dims shape = b_.shape(at_x_(value));
    return b_.expand(b_.scalar(0), shape);
  }

 private:
  struct Ruled {
    const Layer* layer;
    RuleUse use;
  };

  void hand_on(Value value, const Relevance& relevance) {
    if (const auto layer = layer_at_.find(value); layer != layer_at_.end())
      return through_layer(layer->second, relevance);
    const Node node = b_.graph()[at_x_(value)];
    const std::vector<size_t> operands = moved_operands(value);
    const std::string& op = node.op->name;
    const bool unary = is_activation(*node.op) || is_function_of_one_number(*node.op);
    if (unary || op == "softmax" || op == "log_softmax") return unchanged(value, operands, relevance);
    if (op == "add" || op == "sub") return through_sum(value, operands, relevance);
    if (op == "normalize") return through_normalize(value, relevance);
    if (node.op->op_class == OpClass::bilinear && op != "resample") return through_product(value, operands, relevance);
    const bool picks = traits_of(node).moves || node.op->op_class == OpClass::selection;
    if (picks) return moved_on(value, operands, relevance);
    if (node.op->op_class == OpClass::linear || op == "resample") return through_pool(value, operands, relevance);
    fail(ErrorKind::unsupported, describe(node),
         "there is no relevance rule for this operation in any rule set; gradient methods cover it");
  }

  std::vector<size_t> moved_operands(Value value) const {
    const Node& node = model_[value];
    std::vector<size_t> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (moved_[static_cast<size_t>(node.inputs[i].index)] && carries_derivative(model_, node, i))
        operands.push_back(i);
    }
    return operands;
  }

  void through_layer(const Ruled& ruled, const Relevance& relevance) {
    const Layer& layer = *ruled.layer;
    const LinearMap map(b_, at_x_(layer.linear), layer.operand);
    const RuleRequest request{
        map, relevance, at_x_(layer.sum), bias_of(layer), never_negative(b_.graph(), map.x()), ruled.use.values};
    add(model_[layer.linear].inputs[layer.operand], ruled.use.rule->apply(request));
  }

  // What is added to the products, in a shape that broadcasts to z.
  Value bias_of(const Layer& layer) {
    const Node linear = b_.graph()[at_x_(layer.linear)];
    if (linear.inputs.size() > 2) {
      Dims column = b_.shape(linear.inputs[2]);
      column.resize(static_cast<size_t>(b_.rank(at_x_(layer.linear)) - 1), 1);
      return b_.reshape(linear.inputs[2], column);
    }
    if (layer.sum == layer.linear) return {};
    const Node sum = b_.graph()[at_x_(layer.sum)];
    const Value bias = sum.inputs[0] == at_x_(layer.linear) ? sum.inputs[1] : sum.inputs[0];
    return sum.op->name == "sub" ? b_.op("neg", {bias}) : bias;
  }

  // Every number of the result depends on one number of the operand, which keeps its relevance; broadcast ones add up.
  void unchanged(Value value, const std::vector<size_t>& operands, const Relevance& relevance, double scale = 1) {
    for (const size_t operand : operands) {
      const Value input = model_[value].inputs[operand];
      Relevance own = relevance;
      if (scale != 1) own.amount = b_.mul(own.amount, scale);
      if (b_.shape(at_x_(input)) != b_.shape(at_x_(value))) {
        own = {summed_to(b_, plain(b_, own), b_.shape(at_x_(input)))};
      }
      add(input, own);
    }
  }

  // The transpose of moving or choosing numbers. What is moved has the value that it had, so a factor stays one.
  void moved_on(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const bool factored = relevance.factor == at_x_(value);
    const Value amount = factored ? relevance.amount : plain(b_, relevance);
    for (const size_t operand : operands) {
      const Value x = node.inputs[operand];
      const Value share = node.op->adjoint({b_, node.inputs, at_x_(value), node.attributes, operand}, amount);
      add(model_[value].inputs[operand], {summed_to(b_, share, b_.shape(x)), factored ? x : Value{}});
    }
  }

  // a + b: by contribution. A lone constant is a bias, which absorbs its share or takes no part.
  void through_sum(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    if (operands.size() == 1 && !rules_.biases_absorb()) return unchanged(value, operands, relevance);
    linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.additions()));
  }

  // By contribution; or flat, by the coefficients alone: to all numbers of a mean alike, whatever their values. A sum
  // that is itself explained is no pool of the network.
  void through_pool(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    const bool flat = rules_.pools_are_flat() && value != target_;
    for (const size_t operand : flat ? operands : std::vector<size_t>()) {
      const LinearMap map(b_, at_x_(value), operand);
      const Value coefficients = map.forward(part_of(b_, map.x(), Part::ones));
      add(model_[value].inputs[operand], {map.backward(share(b_, relevance, coefficients, {}))});
    }
    if (flat) return;
    linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.pools()));
  }

  void linear_shares(Value value, const std::vector<size_t>& operands, Value s) {
    for (const size_t operand : operands) {
      const LinearMap map(b_, at_x_(value), operand);
      add(model_[value].inputs[operand], {map.backward(s), map.x()});
    }
  }

  // The signal takes all and the gate nothing; of two signals each takes half. What divides is a gate.
  void through_product(Value value, std::vector<size_t> operands, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    if (operands.size() > 1) {
      const Graph& graph = b_.graph();
      std::vector<size_t> signals;
      for (const size_t operand : operands) {
        const bool divides = node.op->name == "div" && operand == 1;
        if (!divides && !is_gate(graph, node.inputs[operand])) signals.push_back(operand);
      }
      if (!signals.empty()) operands = signals;
    }
    const double part = 1.0 / static_cast<double>(operands.size());
    if (node.op->name == "mul" || node.op->name == "div") return unchanged(value, operands, relevance, part);
    linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.additions(), part));
  }

  // (x - mean) / deviation with the deviation held: linear, and split by contribution.
  void through_normalize(Value value, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const auto axes = node.attributes.integers("axes");
    const Value x = node.inputs[0];
    const Value centred = b_.sub(x, b_.reduce("reduce_mean", x, axes, true));
    const Value variance = b_.reduce("reduce_mean", b_.mul(centred, centred), axes, true);
    const Value deviation = b_.op("sqrt", {b_.add(variance, node.attributes.real("epsilon"))});
    const Value s = b_.div(share(b_, relevance, at_x_(value), rules_.additions()), deviation);
    add(model_[value].inputs[0], {b_.sub(s, b_.reduce("reduce_mean", s, axes, true)), x});
  }

  Builder& b_;
  const Graph& model_;
  const Placed& at_x_;
  std::vector<bool> moved_;
  const RuleSet& rules_;
  std::vector<Layer> layers_;
  std::map<Value, Ruled> layer_at_;
  std::map<Value, Relevance> relevance_;
  Value target_;
};

}  // namespace

bool kept_for_relevance(const Op& op) { return op.adjoint != nullptr || is_activation(op) || op.name == "normalize"; }

std::vector<Value> append_relevance(Builder& builder, const Graph& model, const Placed& at_x, Value target, Value seed,
                                    std::span<const Value> sources, const RuleSet& rules) {
  const std::vector<bool> moved = moved_by(model, sources);
  RelevanceSweep sweep(builder, model, at_x, moved, rules, find_layers(model, moved, target));
  sweep.add(target, {seed, at_x(target)});
  sweep.run(target);
  std::vector<Value> relevance;
  for (const Value source : sources) relevance.push_back(sweep.relevance_of(source));
  return relevance;
}

}  // namespace ascribe::core
