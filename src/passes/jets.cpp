#include "passes/jets.h"

#include <algorithm>
#include <map>

#include "graph/builder.h"
#include "passes/differentiable.h"
#include "passes/expand_composites.h"

namespace ascribe::core {

namespace {

// Terms weight * a * b that make up one coefficient.
struct Products {
  std::vector<double> weights;
  std::vector<Value> factors;  // a_0, b_0, a_1, b_1, ...

  void add(double weight, Value a, Value b) {
    if (!a.valid() || !b.valid()) return;
    weights.push_back(weight);
    factors.insert(factors.end(), {a, b});
  }
  Value sum(Builder& b) const {
    if (weights.empty()) return {};
    if (weights.size() == 1 && weights[0] == 1) return b.mul(factors[0], factors[1]);
    return b.op("sum_of_products", factors, {{"weights", reals(weights)}});
  }
};

class JetBuilder {
 public:
  JetBuilder(const Graph& graph, const JetOptions& options)
      : options_(options), work_(expand_composites(graph, false).graph), derivatives_(work_), b_(out_) {
    out_.name = work_.name;
    number_nodes();
    add_inputs();
  }

  Graph run() {
    const size_t count = work_.nodes.size();
    for (int k = 0; k <= options_.order; ++k) {
      for (size_t i = 0; i < count; ++i) coefficient({static_cast<int32_t>(i)}, k);
    }
    for (const Port& port : work_.outputs) {
      if (work_[port.value].type.kind != Kind::real) continue;
      for (int k = 0; k <= options_.order; ++k) {
        Value value = coefficient(port.value, k);
        if (!value.valid()) value = b_.expand(b_.scalar(0), work_[port.value].type.shape);
        b_.output(fmt::format("{}.{}", port.name, k), value, port.element_type);
      }
    }
    out_.drop_unread();
    return std::move(out_);
  }

 private:
  // ---- the graph that is expanded: the model's, and the derivatives of its elementwise operations ----

  // Nodes that compute the same get one number: the derivative of sin is cos, whose derivative is sin again.
  void number_nodes() {
    for (size_t i = numbers_.size(); i < work_.nodes.size(); ++i) {
      Node& node = work_.nodes[i];
      const Value own{static_cast<int32_t>(i)};
      for (Value& input : node.inputs) input = numbers_[input.index];
      numbers_.push_back(node.op->op_class == OpClass::source ? own
                                                              : known_.try_emplace(key_of(node), own).first->second);
      moves_.push_back(moves(node));
    }
    coefficients_.resize(work_.nodes.size());
  }

  static std::string key_of(const Node& node) {
    std::string key = node.op->name;
    for (const Value input : node.inputs) key += fmt::format(" {}", input.index);
    for (const auto& [name, value] : node.attributes.values()) {
      key += " " + name + "=";
      if (const auto* dims = std::get_if<Dims>(&value)) key += to_string(*dims);
      else if (const auto* text = std::get_if<std::string>(&value)) key += *text;
      else if (const auto* function = std::get_if<Attributes::Function>(&value))
        key += fmt::format("{}", fmt::ptr(function->get()));
      else {
        for (const double real : std::get<std::vector<double>>(value)) key += fmt::format("{:a},", real);
      }
    }
    return key;
  }

  bool moves(const Node& node) const {
    if (node.op->name == "input") {
      const auto moving = moving_inputs(work_, options_.inputs);
      return std::any_of(moving.begin(), moving.end(), [&](const Port& port) { return &work_[port.value] == &node; });
    }
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      if (moves_[node.inputs[operand].index] && carries_derivative(work_, node, operand)) return true;
    }
    return false;
  }

  // d node / d operand as a value of the work graph.
  Value derivative(Value value, size_t operand) {
    const auto key = std::pair{value, operand};
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const Node node = work_[value];
    derivatives_.set_name(node.name);
    derivatives_.set_where("derivative of " + describe(node));
    const Value made = node.op->derivative({derivatives_, node.inputs, value, node.attributes, operand});
    number_nodes();
    return made_[key] = numbers_[made.index];
  }

  // ---- the graph that is made ----

  void add_inputs() {
    for (const Port& port : work_.inputs) {
      Type type = work_[port.value].type;
      if (options_.shared_point) type.shape = to_dims(at(type.shape, 1));
      coefficients_[port.value.index] = {b_.input(port.name, type, port.element_type)};
    }
    for (const Port& port : moving_inputs(work_, options_.inputs)) {
      const Type& type = work_[port.value].type;
      coefficients_[port.value.index].push_back(b_.input("v." + port.name, type, port.element_type));
    }
  }

  // Coefficient k of a value; invalid: it is 0.
  Value coefficient(Value value, int k) {
    value = numbers_[value.index];
    if (k > 0 && !moves_[value.index]) return {};
    const auto known = [&] { return static_cast<int>(coefficients_[value.index].size()); };
    while (known() <= k) {
      const Value made = known() == 0 ? constant_term(value) : higher_term(value, known());
      coefficients_[value.index].push_back(made);
    }
    return coefficients_[value.index][k];
  }

  void enter(const Node& node) {
    b_.set_name(node.name);
    b_.set_where("jet of " + describe(node));
  }

  Value constant_term(Value value) {
    const Node node = work_[value];
    std::vector<Value> inputs;
    for (const Value input : node.inputs) inputs.push_back(coefficient(input, 0));
    enter(node);
    if (node.op->name == "constant") return b_.constant(node.constant);
    if (node.op->name == "growing_constant") {
      return options_.shared_point ? b_.constant(constant_at(node, 1)) : growing(node);
    }
    return b_.op(node.op->name, inputs, options_.shared_point ? node.attributes.resolved(1) : node.attributes);
  }

  Value growing(const Node& node) { return b_.integers(node.attributes.dims("values"), at(node.type.shape, 1)); }

  // Coefficient 0 with as many rows as there are directions, for operations that do not broadcast.
  Value frozen(Value value) {
    const Node& node = work_[numbers_[value.index]];
    if (node.op->name == "growing_constant") return growing(node);
    return full(coefficient(value, 0), node.type.shape);
  }

  Value full(Value value, const Dims& shape) { return b_.shape(value) == shape ? value : b_.expand(value, shape); }

  Value higher_term(Value value, int k) {
    const Node node = work_[value];
    if (node.op->name == "input") return {};  // a straight line: its order is 1
    require_derivative(node);
    const Value made = term(node, value, k);
    return made.valid() ? full(made, node.type.shape) : made;
  }

  Value term(const Node& node, Value value, int k) {
    const std::string& name = node.op->name;
    if (name == "add" || name == "sub") return sum(node, k);
    if (name == "mul") return product(node, k);
    if (name == "div") return quotient(node, value, k);
    if (is_identity_in_derivatives(*node.op)) return coefficient(node.inputs[0], k);
    switch (node.op->op_class) {
      case OpClass::linear:
      case OpClass::selection: return linear(node, k);
      case OpClass::bilinear: return bilinear(node, k);
      case OpClass::elementwise: return elementwise(node, value, k);
      default: fail(ErrorKind::internal, describe(node), "has no jet; its class is {}", to_string(node.op->op_class));
    }
  }

  Value sum(const Node& node, int k) {
    const Value a = coefficient(node.inputs[0], k), c = coefficient(node.inputs[1], k);
    enter(node);
    if (a.valid() && c.valid()) return b_.op(node.op->name, {a, c});
    if (a.valid() || !c.valid()) return a;
    return node.op->name == "add" ? c : b_.op("neg", {c});
  }

  // Every coefficient alone; what only chooses is frozen at coefficient 0.
  Value linear(const Node& node, int k) {
    std::vector<Value> inputs;
    bool any = false;
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      const bool moving = carries_derivative(work_, node, operand);
      inputs.push_back(moving ? coefficient(node.inputs[operand], k) : Value{});
      any = any || inputs.back().valid();
    }
    if (!any) return {};
    enter(node);
    const bool broadcasts = node.op->traits.pointwise;
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      if (inputs[operand].valid()) continue;
      const Value input = node.inputs[operand];
      if (carries_derivative(work_, node, operand)) {
        inputs[operand] = broadcasts ? b_.scalar(0) : b_.expand(b_.scalar(0), work_[input].type.shape);
      } else {
        inputs[operand] = broadcasts ? coefficient(input, 0) : frozen(input);
      }
    }
    Attributes attributes = node.attributes;
    if (!node.op->offset.empty()) attributes.set(node.op->offset, reals({0}));
    return b_.op(node.op->name, inputs, attributes);
  }

  // sum over j of a_j b_(k - j)
  Value product(const Node& node, int k) {
    Products products;
    for (int j = 0; j <= k; ++j) {
      products.add(1, coefficient(node.inputs[0], j), coefficient(node.inputs[1], k - j));
    }
    enter(node);
    return products.sum(b_);
  }

  // q b = a, so that q_k = (a_k - sum over j >= 1 of b_j q_(k - j)) / b_0
  Value quotient(const Node& node, Value value, int k) {
    const Value a = coefficient(node.inputs[0], k), divisor = coefficient(node.inputs[1], 0);
    Products products;
    for (int j = 1; j <= k; ++j) products.add(-1, coefficient(node.inputs[1], j), coefficient(value, k - j));
    enter(node);
    if (a.valid() && !products.weights.empty()) products.add(1, a, b_.scalar(1));
    const Value numerator = products.weights.empty() ? a : products.sum(b_);
    return numerator.valid() ? b_.div(numerator, divisor) : numerator;
  }

  // Cauchy products of the two factors; a third operand (a bias) is added.
  Value bilinear(const Node& node, int k) {
    const auto [left, right] = node.op->factors;
    Value total;
    for (int j = 0; j <= k; ++j) {
      const Value a = coefficient(node.inputs[left], j), c = coefficient(node.inputs[right], k - j);
      if (!a.valid() || !c.valid()) continue;
      enter(node);
      const Value made = bilinear_term(node, j > 0 ? a : at_rows(node, left), k > j ? c : at_rows(node, right));
      total = total.valid() ? b_.add(total, made) : made;
    }
    const bool biased = node.inputs.size() > 2 && left == 0 && right == 1;
    const Value bias = biased ? coefficient(node.inputs[2], k) : Value{};
    if (!bias.valid()) return total;
    enter(node);
    Dims shape(work_[node.inputs[0]].type.shape.size(), 1);
    shape[1] = b_.shape(bias)[0];
    const Value spread = b_.reshape(bias, shape);
    return total.valid() ? b_.add(total, spread) : spread;
  }

  // A factor at coefficient 0. Stacks of matrices broadcast by themselves.
  Value at_rows(const Node& node, int operand) {
    const Value input = node.inputs[operand];
    const bool broadcasts = node.op->name == "matmul" && work_[input].type.shape.size() > 2;
    return broadcasts ? coefficient(input, 0) : frozen(input);
  }

  Value bilinear_term(const Node& node, Value a, Value c) {
    const auto [left, right] = node.op->factors;
    std::vector<Value> inputs;
    for (int operand = 0; operand < static_cast<int>(node.inputs.size()); ++operand) {
      if (operand == left) inputs.push_back(a);
      else if (operand == right) inputs.push_back(c);
      else if (work_[node.inputs[operand]].type.kind != Kind::real) inputs.push_back(frozen(node.inputs[operand]));
    }
    return b_.op(node.op->name, inputs, node.attributes);
  }

  // y' = d(x) x', so that k y_k = sum over j of j x_j d_(k - j); summed over the operands that move.
  Value elementwise(const Node& node, Value value, int k) {
    Products products;
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      if (!moves_[numbers_[node.inputs[operand].index].index]) continue;
      const Value slope = derivative(value, operand);
      for (int j = 1; j <= k; ++j) {
        products.add(static_cast<double>(j) / k, coefficient(node.inputs[operand], j), coefficient(slope, k - j));
      }
    }
    enter(node);
    return products.sum(b_);
  }

  const JetOptions& options_;
  Graph work_, out_;
  Builder derivatives_, b_;
  std::vector<Value> numbers_;                       // of each value of work_: the first that computes the same
  std::map<std::string, Value, std::less<>> known_;  // those first ones
  std::map<std::pair<Value, size_t>, Value> made_;   // derivatives
  std::vector<bool> moves_;                          // of each value of work_: with the directions
  std::vector<std::vector<Value>> coefficients_;     // of each value of work_, as values of out_
};

}  // namespace

Graph jets(const Graph& graph, const JetOptions& options) {
  require(options.order >= 0, "jets", "the order is negative");
  if (options.shared_point && !can_share_point(graph)) {
    fail(ErrorKind::unsupported, "jets", "the rows of this graph cannot share a point: not all growing axes are N");
  }
  return JetBuilder(graph, options).run();
}

bool can_share_point(const Graph& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::all_of(node.type.shape.begin(), node.type.shape.end(),
                       [](Dim dim) { return dim.is_fixed() || dim == kBatch; });
  });
}

}  // namespace ascribe::core
