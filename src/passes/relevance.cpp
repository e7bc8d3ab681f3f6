#include "passes/relevance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "graph/adjoint.h"
#include "passes/activations.h"
#include "passes/differentiable.h"
#include "passes/factors.h"
#include "passes/modules.h"

namespace ascribe::core {

namespace {

// Below this, what goes into a softmax is a mask: exp of it is 0, in any precision.
constexpr double kShutOut = -1e30;

class RelevanceSweep {
 public:
  RelevanceSweep(Builder& builder, const Graph& model, const Placed& at_x, std::vector<bool> moved,
                 const RuleSet& rules, std::vector<Layer> layers, std::vector<SweepStep>* trace)
      : b_(builder),
        model_(model),
        at_x_(at_x),
        moved_(std::move(moved)),
        rules_(rules),
        layers_(std::move(layers)),
        trace_(trace) {
    const std::vector<RuleUse> uses = rules.resolved(layers_);
    for (size_t i = 0; i < layers_.size(); ++i) layer_at_[layers_[i].sum] = {&layers_[i], uses[i]};
  }

  void add(Value value, const Relevance& relevance) {
    if (trace_ != nullptr && passed_on_.valid()) passed_on_ = b_.add(passed_on_, sum_of_all(b_, plain(b_, relevance)));
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
      const Relevance received = found->second;
      if (trace_ != nullptr) passed_on_ = b_.scalar(0);
      const std::string_view rule = hand_on({i}, received);
      if (trace_ == nullptr) continue;
      trace_->push_back({{i}, std::string(rule), sum_of_all(b_, plain(b_, received)), passed_on_});
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

  // Says what it did.
  std::string_view hand_on(Value value, const Relevance& relevance) {
    if (const auto layer = layer_at_.find(value); layer != layer_at_.end()) {
      through_layer(layer->second, relevance);
      return layer->second.use.rule->name;
    }
    const Node node = b_.graph()[at_x_(value)];
    const std::vector<size_t> operands = moved_operands(value);
    const std::string& op = node.op->name;
    if (op == "softmax" && rules_.softmaxes() == SoftmaxRule::taylor) return through_softmax(value, relevance);
    if (op == "softmax" || op == "log_softmax") return unchanged(value, operands, relevance);
    if (is_identity_in_derivatives(*node.op)) return unchanged(value, operands, relevance);
    const bool unary = is_activation(*node.op) || is_function_of_one_number(*node.op);
    if (unary) return through_activation(value, operands, relevance);
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
  std::string_view unchanged(Value value, const std::vector<size_t>& operands, const Relevance& relevance,
                             double scale = 1) {
    for (const size_t operand : operands) {
      const Value input = model_[value].inputs[operand];
      Relevance own = relevance;
      if (scale != 1) own.amount = b_.mul(own.amount, scale);
      if (b_.shape(at_x_(input)) != b_.shape(at_x_(value))) {
        own = {summed_to(b_, plain(b_, own), b_.shape(at_x_(input)))};
      }
      add(input, own);
    }
    return "unchanged";
  }

  // R unchanged. If it is amount * y and y = s(x) vanishes with x, it is amount * (y / x) * x, so that what divides by
  // x next finds it as a factor; y / x tends to s'(0).
  std::string_view through_activation(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const Value x = node.inputs[0], y = at_x_(value);
    const bool factored = relevance.factor == y && operands == std::vector<size_t>{0} && b_.shape(x) == b_.shape(y);
    const std::optional<double> slope = factored && node.op->name != "relu" ? slope_at_zero(node) : std::nullopt;
    if (!slope) return unchanged(value, operands, relevance);
    const Value zero = zeros(b_, b_.shape(x));
    const Value tangent = b_.mul(relevance.amount, *slope);
    add(model_[value].inputs[0], {secant(b_, relevance.amount, y, zero, x, zero, tangent, kEqual), x});
    return "unchanged";
  }

  // s'(0), if s(0) is 0 and has a derivative there: the activation and its derivative alone, at 0.
  std::optional<double> slope_at_zero(const Node& node) const {
    Graph alone;
    Builder b(alone);
    const Value x = b.input("x", {Kind::real, {}});
    std::vector<Value> inputs = {x};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const auto constant = b_.known(node.inputs[i]);
      if (!constant || constant->size() != 1) return std::nullopt;
      inputs.push_back(b.constant(constant->reshaped({})));
    }
    const Value y = b.op(node.op->name, std::move(inputs), node.attributes);
    const Value slope = activation_gradient(b, Node(alone[y]), x, y, b.scalar(1));
    const Graph function = alone;
    const Placed at_zero = append_copy(b, function, std::array{b.scalar(0)}, std::array{y, slope});
    const auto value = b.known(at_zero(y)), rises = b.known(at_zero(slope));
    if (!value || !rises || value->at(0) != 0 || !std::isfinite(rises->at(0))) return std::nullopt;
    return rises->at(0);
  }

  // R_i = x_i (R_i - s_i sum of R): Achtibat et al. 2024, proposition 3.1. What a mask shuts out gets nothing.
  std::string_view through_softmax(Value value, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const Value x = node.inputs[0], s = at_x_(value), r = plain(b_, relevance);
    const Value all = b_.reduce("reduce_sum", r, {node.attributes.integer("axis")}, true);
    const Value masked = b_.op("less", {x, b_.scalar(kShutOut)});
    const Value open = b_.op("where", {masked, b_.scalar(0), x});
    add(model_[value].inputs[0], {b_.sub(r, b_.mul(s, all)), open});
    return "linear part";
  }

  // The transpose of moving or choosing numbers. What is moved has the value that it had, so a factor stays one.
  std::string_view moved_on(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const bool factored = relevance.factor == at_x_(value);
    const Value amount = factored ? relevance.amount : plain(b_, relevance);
    for (const size_t operand : operands) {
      const Value x = node.inputs[operand];
      const Value share = node.op->adjoint({b_, node.inputs, at_x_(value), node.attributes, operand}, amount);
      add(model_[value].inputs[operand], {summed_to(b_, share, b_.shape(x)), factored ? x : Value{}});
    }
    return "moved";
  }

  // a + b: by contribution. A lone constant is a bias, which absorbs its share or takes no part.
  std::string_view through_sum(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    if (operands.size() == 1 && !rules_.biases_absorb()) return unchanged(value, operands, relevance);
    linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.additions()));
    return operands.size() == 1 ? "bias absorbs" : "by contribution";
  }

  // By contribution; or flat, by the coefficients alone: to all numbers of a mean alike, whatever their values. A sum
  // that is itself explained is no pool of the network.
  std::string_view through_pool(Value value, const std::vector<size_t>& operands, const Relevance& relevance) {
    if (!rules_.pools_are_flat() || value == target_) {
      linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.pools()));
      return "by contribution";
    }
    for (const size_t operand : operands) {
      const LinearMap map(b_, at_x_(value), operand);
      const Value coefficients = map.forward(part_of(b_, map.x(), Part::ones));
      add(model_[value].inputs[operand], {map.backward(share(b_, relevance, coefficients, {}))});
    }
    return "flat";
  }

  void linear_shares(Value value, const std::vector<size_t>& operands, Value s) {
    for (const size_t operand : operands) {
      const LinearMap map(b_, at_x_(value), operand);
      add(model_[value].inputs[operand], {map.backward(s), map.x()});
    }
  }

  // The signals among the factors of a product: all but what divides, gates and weights that are held, unless none is
  // left.
  std::vector<size_t> signals_of(Value value, const std::vector<size_t>& operands) {
    const Node& node = model_[value];
    const auto scales = [&](size_t operand) {
      const Value factor = node.inputs[operand];
      if ((node.op->name == "div" && operand == 1) || divides(model_, factor)) return true;
      if (rules_.products() == ProductRule::gate && is_gate(model_, factor)) return true;
      return rules_.softmaxes() == SoftmaxRule::constant && is_softmax_weight(model_, moved_, factor);
    };
    std::vector<size_t> signals;
    std::copy_if(operands.begin(), operands.end(), std::back_inserter(signals), std::not_fn(scales));
    return signals.empty() ? operands : signals;
  }

  // Each signal takes the same part.
  std::string_view through_product(Value value, std::vector<size_t> operands, const Relevance& relevance) {
    const std::string& op = model_[value].op->name;
    const bool several = operands.size() > 1;
    if (several && op == "mul") {
      if (const auto x = activated_by(model_, moved_, value)) return through_written_activation(value, *x, relevance);
    }
    if (several) operands = signals_of(value, operands);
    const double part = 1.0 / static_cast<double>(operands.size());
    if (op == "mul" || op == "div") scaled(value, operands, relevance, part);
    else linear_shares(value, operands, share(b_, relevance, at_x_(value), rules_.additions(), part));
    return !several ? "unchanged" : operands.size() > 1 ? "halves" : "one factor held";
  }

  // x takes all; if it is a factor itself, as a factor.
  std::string_view through_written_activation(Value value, Value x, const Relevance& relevance) {
    std::vector<size_t> multiples;
    for (size_t operand = 0; operand < 2; ++operand) {
      if (is_multiple_of(model_, moved_, model_[value].inputs[operand], x)) multiples.push_back(operand);
    }
    if (multiples.empty()) add(x, {plain(b_, relevance)});
    else scaled(value, multiples, relevance, 1.0 / static_cast<double>(multiples.size()));
    return "unchanged";
  }

  // a b and a / b: where R = amount * a b, a gets (amount * b) * a, so that its own value stays a factor.
  void scaled(Value value, const std::vector<size_t>& operands, const Relevance& relevance, double part) {
    const Node node = b_.graph()[at_x_(value)];
    const bool quotient = node.op->name == "div";
    const bool of_divisor = quotient && operands != std::vector<size_t>{0};
    if (relevance.factor != at_x_(value) || of_divisor) {
      unchanged(value, operands, relevance, part);
      return;
    }
    const Value amount = part == 1 ? relevance.amount : b_.mul(relevance.amount, part);
    for (const size_t operand : operands) {
      const Value x = node.inputs[operand], other = node.inputs[1 - operand];
      const Value own = quotient ? b_.div(amount, other) : b_.mul(amount, other);
      add(model_[value].inputs[operand], {summed_to(b_, own, b_.shape(x)), x});
    }
  }

  // (x - mean) / deviation with the deviation held: linear, and split by contribution.
  std::string_view through_normalize(Value value, const Relevance& relevance) {
    const Node node = b_.graph()[at_x_(value)];
    const auto axes = node.attributes.integers("axes");
    const Value x = node.inputs[0];
    const Value centred = b_.sub(x, b_.reduce("reduce_mean", x, axes, true));
    const Value variance = b_.reduce("reduce_mean", b_.mul(centred, centred), axes, true);
    const Value deviation = b_.op("sqrt", {b_.add(variance, node.attributes.real("epsilon"))});
    const Value s = b_.div(share(b_, relevance, at_x_(value), rules_.additions()), deviation);
    add(model_[value].inputs[0], {b_.sub(s, b_.reduce("reduce_mean", s, axes, true)), x});
    return "deviation held";
  }

  Builder& b_;
  const Graph& model_;
  const Placed& at_x_;
  std::vector<bool> moved_;
  const RuleSet& rules_;
  std::vector<Layer> layers_;
  std::map<Value, Ruled> layer_at_;
  std::map<Value, Relevance> relevance_;
  std::vector<SweepStep>* trace_;
  Value passed_on_;  // of the node at work, if there is a trace
  Value target_;
};

}  // namespace

bool kept_for_relevance(const Op& op) { return op.adjoint != nullptr || is_activation(op) || op.name == "normalize"; }

std::vector<Value> append_relevance(Builder& builder, const Graph& model, const Placed& at_x, Value target, Value seed,
                                    std::span<const Value> sources, const RuleSet& rules,
                                    std::vector<SweepStep>* trace) {
  const std::vector<bool> moved = moved_by(model, sources);
  RelevanceSweep sweep(builder, model, at_x, moved, rules, find_layers(model, moved, target), trace);
  sweep.add(target, {seed, at_x(target)});
  sweep.run(target);
  std::vector<Value> relevance;
  for (const Value source : sources) relevance.push_back(sweep.relevance_of(source));
  return relevance;
}

}  // namespace ascribe::core
