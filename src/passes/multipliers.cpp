#include "passes/multipliers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "graph/adjoint.h"
#include "passes/activations.h"
#include "passes/differentiable.h"
#include "passes/factors.h"

namespace ascribe::core {

namespace {

Value half(Builder& b, Value one, Value other) { return b.mul(b.add(one, other), 0.5); }

class MultiplierSweep {
 public:
  MultiplierSweep(Builder& builder, const Graph& model, const Placed& at_x, const Placed& at_b, std::vector<bool> moved,
                  const ModuleRule& module, const std::vector<Layer>& layers, std::vector<Value>* alone,
                  std::vector<SweepStep>* trace)
      : b_(builder),
        model_(model),
        at_x_(at_x),
        at_b_(at_b),
        moved_(std::move(moved)),
        module_(module),
        alone_(alone),
        trace_(trace) {
    for (const Layer& layer : layers) layer_at_.emplace(layer.sum, layer);
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const auto& inputs = model.nodes[i].inputs;
      int64_t depth = 0;
      for (const Value v : inputs) depth = std::max(depth, depth_[static_cast<size_t>(v.index)]);
      depth_.push_back(depth + (layer_at_.contains({static_cast<int32_t>(i)}) ? 1 : 0));
      touched_.push_back(moved_[i] || std::any_of(inputs.begin(), inputs.end(),
                                                  [&](Value v) { return touched_[static_cast<size_t>(v.index)]; }));
    }
  }

  void add(Value value, Value multiplier) {
    if (trace_ != nullptr && passed_on_.valid()) passed_on_ = b_.add(passed_on_, contribution(value, multiplier));
    const auto [found, fresh] = multipliers_.try_emplace(value, multiplier);
    if (!fresh) found->second = b_.add(found->second, multiplier);
  }

  void run(Value target) {
    for (int32_t i = target.index; i >= 0; --i) {
      const auto found = multipliers_.find({i});
      if (found == multipliers_.end() || !moved_[static_cast<size_t>(i)]) continue;
      const Node& node = model_[{i}];
      if (node.op->op_class == OpClass::source) continue;
      b_.set_name(node.name);
      b_.set_where("multipliers of " + describe(node));
      require_still_choices(node);
      const Value received = found->second;
      if (trace_ != nullptr) passed_on_ = b_.scalar(0);
      hand_on({i}, received);
      if (trace_ == nullptr) continue;
      trace_->push_back({{i}, std::string(rule_at({i})), contribution({i}, received), passed_on_});
    }
  }

  Value multiplier_of(Value value) {
    const auto found = multipliers_.find(value);
    return found != multipliers_.end() ? found->second : zeros(b_, b_.shape(at_x_(value)));
  }

 private:
  Value contribution(Value value, Value multiplier) {
    return sum_of_all(b_, b_.mul(multiplier, b_.sub(at_x_(value), at_b_(value))));
  }

  // In a word.
  std::string_view rule_at(Value value) {
    const Node& node = model_[value];
    if (is_activation(*node.op)) return module_ && is_behind_layer(input(value), node) ? "module" : "rescale";
    if (node.op->traits.layer != LayerKind::none && moved_operands(value).size() == 1) return "layer";
    if (node.op->op_class == OpClass::linear || moved_operands(value).size() == 1) return "transpose";
    return node.op->op_class == OpClass::bilinear ? "product" : "choice";
  }

  void hand_on(Value value, Value m) {
    const Op& op = *model_[value].op;
    if (op.name == "pow") require_constant_exponent(value);
    if (is_activation(op)) return through_activation(value, m);
    if (op.name == "max_pool") return through_max_pool(value, m);
    if (op.name == "reduce_max" || op.name == "reduce_min") return through_extremum(value, m);
    if (op.name == "softmax" || op.name == "log_softmax") return through_softmax(value, m);
    if (op.name == "reduce_log_sum_exp") return through_log_sum_exp(value, m);
    if (op.name == "where" || op.name == "maximum" || op.name == "minimum") return through_choice(value, m);
    if (op.name == "div") return through_quotient(value, m);
    if (op.op_class == OpClass::bilinear) return through_product(value, m);
    if (op.op_class == OpClass::linear || is_identity_in_derivatives(op)) return through_linear(value, m);
    fail(ErrorKind::unsupported, describe(model_[value]),
         "there is no DeepLIFT rule for this operation; gradient methods cover it");
  }

  std::vector<size_t> moved_operands(Value value) const {
    const Node& node = model_[value];
    std::vector<size_t> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_moved(node.inputs[i]) && carries_derivative(model_, node, i)) operands.push_back(i);
    }
    return operands;
  }

  bool is_moved(Value value) const { return moved_[static_cast<size_t>(value.index)]; }
  Value input(Value value, size_t operand = 0) const { return model_[value].inputs[operand]; }
  const Node node_at_x(Value value) const { return b_.graph()[at_x_(value)]; }

  // Numbers that are picked by an index which depends on the input have no partner at the reference. What chooses
  // between operands has rules of its own.
  void require_still_choices(const Node& node) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Value operand = node.inputs[i];
      if (model_[operand].type.kind == Kind::real || static_cast<int>(i) == node.op->choice) continue;
      if (!touched_[static_cast<size_t>(operand.index)]) continue;
      fail(ErrorKind::unsupported, describe(node),
           "picks elements by an index that depends on the input; the DeepLIFT methods have no rule for that");
    }
  }

  void require_constant_exponent(Value value) const {
    if (!is_moved(input(value, 1))) return;
    fail(ErrorKind::unsupported, describe(model_[value]), "an exponent that depends on the input has no DeepLIFT rule");
  }

  Value adjoint(const Node& node, Value self, size_t operand, const std::vector<Value>& inputs, Value m) {
    const Value share =
        is_identity_in_derivatives(*node.op) ? m : node.op->adjoint({b_, inputs, self, node.attributes, operand}, m);
    return summed_to(b_, share, b_.shape(inputs[operand]));
  }

  void through_linear(Value value, Value m) {
    const Node node = node_at_x(value);
    for (const size_t operand : moved_operands(value)) {
      add(input(value, operand), adjoint(node, at_x_(value), operand, node.inputs, m));
    }
  }

  // d(u v) = du (v + v_b) / 2 + dv (u + u_b) / 2, exactly. If one of them divides, the rule is that of a quotient.
  void through_product(Value value, Value m) {
    const Node node = node_at_x(value);
    const std::vector<size_t> operands = moved_operands(value);
    if (operands.size() == 2 && node.op->name == "mul") {
      const bool left = divides(model_, input(value, 0)), right = divides(model_, input(value, 1));
      if (left != right) return through_product_with_inverse(value, m, left ? 0 : 1);
    }
    for (const size_t operand : operands) {
      std::vector<Value> inputs = node.inputs;
      for (const size_t other : operands) {
        if (other != operand) inputs[other] = half(b_, node.inputs[other], at_b_(input(value, other)));
      }
      add(input(value, operand), adjoint(node, at_x_(value), operand, inputs, m));
    }
  }

  // Two numbers in units of the larger one, so that their squares neither overflow nor vanish.
  struct Pair {
    Value p, q, unit, squares;  // p unit and q unit; p^2 + q^2, from 1 to 2
  };
  Pair pair_of(Value v, Value v_b) {
    const Value unit = b_.op("maximum", {b_.op("abs", {v}), b_.op("abs", {v_b})});
    const Value p = b_.div(v, unit), q = b_.div(v_b, unit);
    return {p, q, unit, b_.add(b_.mul(p, p), b_.mul(q, q))};
  }

  // y = u / v: dy = (du (v + v_b) - dv (v_b y + v y_b)) / (v^2 + v_b^2), exactly. Where v is small at one end only, as
  // the deviation of a normalisation is at a baseline without contrast, u has the multiplier 1 / v of the other end; u
  // times 1 / v with the means of both would pass on 1 / v_b twice, which then cancels.
  void through_quotient(Value value, Value m) {
    const Value u = input(value, 0), v = input(value, 1);
    if (!is_moved(v)) {
      add(u, summed_to(b_, b_.div(m, at_x_(v)), b_.shape(at_x_(u))));
      return;
    }
    const auto [p, q, unit, squares] = pair_of(at_x_(v), at_b_(v));
    const Value each = b_.op("reciprocal", {b_.mul(squares, unit)});
    if (is_moved(u)) add(u, summed_to(b_, b_.mul(m, b_.mul(b_.add(p, q), each)), b_.shape(at_x_(u))));
    const Value crosswise = b_.add(b_.mul(q, at_x_(value)), b_.mul(p, at_b_(value)));
    add(v, summed_to(b_, b_.op("neg", {b_.mul(m, b_.mul(crosswise, each))}), b_.shape(at_x_(v))));
  }

  // The same for y = u r, r = 1 / v: dy = (du r r_b (r + r_b) + dr (r y + r_b y_b)) / (r^2 + r_b^2).
  void through_product_with_inverse(Value value, Value m, size_t inverse) {
    const Value r = input(value, inverse), u = input(value, 1 - inverse);
    const auto [p, q, unit, squares] = pair_of(at_x_(r), at_b_(r));
    const Value mean = b_.mul(unit, b_.div(b_.mul(b_.mul(p, q), b_.add(p, q)), squares));
    add(u, summed_to(b_, b_.mul(m, mean), b_.shape(at_x_(u))));
    const Value ends = b_.add(b_.mul(p, at_x_(value)), b_.mul(q, at_b_(value)));
    add(r, summed_to(b_, b_.mul(m, b_.div(ends, b_.mul(squares, unit))), b_.shape(at_x_(r))));
  }

  // What goes in and what comes out, at x and at the reference.
  struct Ends {
    Value x, x_b, y, y_b;
  };
  Ends ends_of(Value value) const { return {at_x_(input(value)), at_b_(input(value)), at_x_(value), at_b_(value)}; }

  // Rescale: the slope between the reference and x. A module's own rule goes before it.
  void through_activation(Value value, Value m) {
    const Node node = node_at_x(value);
    if (module_ && is_behind_layer(input(value), node)) return through_modules(value, node, m);
    note_alone(value);
    add(input(value), rescaled(node, m, ends_of(value)));
  }

  Value rescaled(const Node& node, Value m, const Ends& ends) {
    const auto& [z, z_b, y, y_b] = ends;
    return activation_slope(b_, node, m, activation_point(b_, node, m, z, y), activation_point(b_, node, m, z_b, y_b));
  }

  // Whether the activation makes a module with a layer, seen through operations that could as well come behind it.
  bool is_behind_layer(Value z, const Node& activation) {
    std::vector<Value> open = {z};
    std::set<Value> seen;
    while (!open.empty()) {
      const Value value = open.back();
      open.pop_back();
      if (layer_at_.contains(value)) return true;
      if (!seen.insert(value).second || !commutes_with(model_[value], activation)) continue;
      for (const size_t operand : moved_operands(value)) open.push_back(input(value, operand));
    }
    return false;
  }

  struct Activated {
    Value y, y_b, multiplier;
  };

  // s(P(u)) = P(s(u)): the multiplier of s(u) follows from P's rule at s(u), until u is what a layer gives.
  void through_modules(Value value, const Node& activation, Value m) {
    std::map<Value, Activated> open = {{input(value), {at_x_(value), at_b_(value), m}}};
    while (!open.empty()) {
      const auto [z, at] = *open.rbegin();
      open.erase(std::prev(open.end()));
      if (const auto layer = layer_at_.find(z); layer != layer_at_.end()) {
        const LinearMap map(b_, at_x_(layer->second.linear), layer->second.operand);
        const Value x = input(layer->second.linear, layer->second.operand);
        add(x, module_({map, activation, value, depth_[static_cast<size_t>(z.index)], at_b_(x), at_x_(z), at_b_(z),
                        at.y, at.y_b, at.multiplier}));
      } else if (!is_behind_layer(z, activation)) {
        note_alone(value);
        add(z, rescaled(activation, at.multiplier, {at_x_(z), at_b_(z), at.y, at.y_b}));
      } else {
        for (const size_t operand : moved_operands(z)) {
          const Value u = input(z, operand);
          const Value s = activation_at(b_, activation, at_x_(u)), s_b = activation_at(b_, activation, at_b_(u));
          const Value share = share_of(z, operand, {s, s_b}, at);
          const auto [found, fresh] = open.try_emplace(u, Activated{s, s_b, share});
          if (!fresh) found->second.multiplier = b_.add(found->second.multiplier, share);
        }
      }
    }
  }

  // The multiplier of an operand of z, if x and x_b stand in its place and y and y_b in that of z.
  Value share_of(Value z, size_t operand, std::pair<Value, Value> x, const Activated& at) {
    const Node node = node_at_x(z);
    require_still_choices(model_[z]);
    const Ends ends = {x.first, x.second, at.y, at.y_b};
    if (node.op->name == "max_pool") return max_pool_share(node, ends, at.multiplier);
    if (node.op->name == "reduce_max" || node.op->name == "reduce_min")
      return extremum_share(node, ends, at.multiplier);
    return adjoint(node, at_x_(z), operand, node.inputs, at.multiplier);
  }

  // A function of one number of the input leaves a module nothing to share out.
  void note_alone(Value value) {
    if (!module_ || alone_ == nullptr) return;
    Value from = value;
    while (!model_.is(from, "input")) {
      const Traits traits = traits_of(model_[from]);
      const std::vector<size_t> operands = moved_operands(from);
      if (operands.size() != 1 || !(traits.pointwise || traits.moves)) break;
      from = input(from, operands[0]);
    }
    const bool known = !alone_->empty() && alone_->back() == value;
    if (!model_.is(from, "input") && !known) alone_->push_back(value);
  }

  // The larger maximum says whose winner explains the change: x's if it grew, otherwise the reference's. That element
  // has changed at least as much as the maximum, so its multiplier lies between 0 and 1.
  void through_max_pool(Value value, Value m) {
    add(input(value), max_pool_share(node_at_x(value), ends_of(value), m));
  }

  Value max_pool_share(const Node& node, const Ends& ends, Value m) {
    const auto& [x, x_b, y, y_b] = ends;
    const auto pick = [&](Value from, Value choice) { return b_.op("max_pool_pick", {from, choice}, node.attributes); };
    const auto put = [&](Value share, Value choice) {
      return b_.op("max_pool_scatter", {share, choice}, node.attributes);
    };
    const Value change = b_.sub(y, y_b), grown = b_.op("gate", {m, change});
    const Value own = secant(b_, grown, y, y_b, y, pick(x_b, x), grown, kEqual);
    const Value shrunk = b_.sub(m, grown);
    const Value other = secant(b_, shrunk, y, y_b, pick(x, x_b), y_b, shrunk, kEqual);
    return b_.add(put(own, x), put(other, x_b));
  }

  void through_extremum(Value value, Value m) {
    add(input(value), extremum_share(node_at_x(value), ends_of(value), m));
  }

  Value extremum_share(const Node& node, const Ends& ends, Value m) {
    const Dims shape = b_.shape(ends.x);
    auto axes = node.attributes.integers("axes");
    std::sort(axes.begin(), axes.end());
    // Bring the reduced axes to the end and join them.
    std::vector<int64_t> order, back(shape.size());
    for (int64_t axis = 0; axis < std::ssize(shape); ++axis) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
    }
    Dims joined, moved_shape;
    Dim count = 1;
    for (const int64_t axis : order) joined.push_back(shape[axis]);
    for (const int64_t axis : axes) count = count * shape[axis];
    order.insert(order.end(), axes.begin(), axes.end());
    for (const int64_t axis : order) moved_shape.push_back(shape[axis]);
    for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    joined.push_back(count);
    Dims one = joined;
    one.back() = 1;
    const auto lines = [&](Value v) { return b_.reshape(b_.transpose(v, order), joined); };
    const Value x = lines(ends.x), x_b = lines(ends.x_b);
    const Value y = b_.reshape(ends.y, one), y_b = b_.reshape(ends.y_b, one), g = b_.reshape(m, one);

    const int64_t last = std::ssize(joined) - 1;
    const bool largest = node.op->name == "reduce_max";
    const auto winner = [&](Value v) {
      return b_.op(largest ? "arg_max" : "arg_min", {v},
                   {{"axis", ints({last})}, {"keepdims", ints({1})}, {"select_last", ints({0})}});
    };
    const Value own = b_.op("less_equal", largest ? std::vector{y_b, y} : std::vector{y, y_b});
    const Value index = b_.op("where", {own, winner(x), winner(x_b)});
    const auto at = [&](Value v) { return b_.op("gather_elements", {v, index}, {{"axis", ints({last})}}); };
    const Value share = secant(b_, g, y, y_b, at(x), at(x_b), g, kEqual);
    const Value placed = b_.op("scatter_elements", {zeros(b_, joined), index, share},
                               {{"axis", ints({last})}, {"reduction", std::string("none")}});
    return b_.transpose(b_.reshape(placed, moved_shape), back);
  }

  // Where x and the reference choose alike, the chosen operand takes all. Elsewhere both operands get dy / (da + db),
  // which for max(x, 0) and for the pieces of a function of x is the slope that Rescale gives.
  void through_choice(Value value, Value m) {
    const Node node = node_at_x(value);
    const bool where = node.op->name == "where";
    if (!where || touched_[static_cast<size_t>(input(value).index)]) note_alone(value);
    const size_t first = where ? 1 : 0;
    const Dims shape = b_.shape(at_x_(value));
    const auto wide = [&](Value v) { return b_.shape(v) == shape ? v : b_.expand(v, shape); };
    const auto side = [&](const Placed& at, size_t i) { return wide(at(input(value, first + i))); };
    const auto chosen = [&](const Placed& at) {
      if (where) return wide(at(input(value, 0)));
      const bool max = node.op->name == "maximum";
      return b_.op("less_equal", {side(at, max ? 1 : 0), side(at, max ? 0 : 1)});
    };
    const Value takes_a = chosen(at_x_), took_a = chosen(at_b_);
    const Value a = side(at_x_, 0), a_b = side(at_b_, 0), c = side(at_x_, 1), c_b = side(at_b_, 1);
    const Value sum = b_.add(a, c), sum_b = b_.add(a_b, c_b), zero = b_.scalar(0);
    const Value crossed = secant(b_, m, at_x_(value), at_b_(value), sum, sum_b, m, kEqual);
    for (const size_t operand : moved_operands(value)) {
      const bool is_a = operand == first;
      const Value both = b_.op("where", {takes_a, is_a ? m : zero, is_a ? zero : m});
      const Value differs = b_.op("logical_xor", {takes_a, took_a});
      const Value share = b_.op("where", {differs, crossed, both});
      add(input(value, operand), summed_to(b_, share, b_.shape(at_x_(input(value, operand)))));
    }
  }

  // log(sum of exp(x)) along the axes: exp, sum and log by Rescale, written so that nothing overflows.
  // The multiplier of x_i is ((e^x_i - e^x_i') / (x_i - x_i')) / ((S - S') / (l - l')), l = log S, both shifted alike.
  Value log_sum_exp_multiplier(Value x, Value x_b, Value l, Value l_b) {
    const Value shift = b_.op("maximum", {l, l_b});
    const Value e = b_.op("exp", {b_.sub(x, shift)}), e_b = b_.op("exp", {b_.sub(x_b, shift)});
    const Value s = b_.op("exp", {b_.sub(l, shift)}), s_b = b_.op("exp", {b_.sub(l_b, shift)});
    const Value one = b_.expand(b_.scalar(1), Dims(b_.shape(l)));
    const Value ones = b_.expand(b_.scalar(1), Dims(b_.shape(x)));
    const Value numerator = secant(b_, ones, e, e_b, x, x_b, half(b_, e, e_b), kSmooth);
    const Value denominator = secant(b_, one, s, s_b, l, l_b, half(b_, s, s_b), kSmooth);
    return b_.div(numerator, denominator);
  }

  Value log_sum(Value x, const std::vector<int64_t>& axes) { return b_.reduce("reduce_log_sum_exp", x, axes, true); }

  // softmax = exp(u), u = x - l.
  void through_softmax(Value value, Value m) {
    const Node node = node_at_x(value);
    const std::vector<int64_t> axis = {node.attributes.integer("axis")};
    const Value x = at_x_(input(value)), x_b = at_b_(input(value)), y = at_x_(value), y_b = at_b_(value);
    const Value l = log_sum(x, axis), l_b = log_sum(x_b, axis);
    if (node.op->name == "softmax") {
      const Value tangent = b_.mul(m, half(b_, y, y_b));
      m = secant(b_, m, y, y_b, b_.sub(x, l), b_.sub(x_b, l_b), tangent, kSmooth);
    }
    const Value to_sum = b_.reduce("reduce_sum", m, axis, true);
    add(input(value), b_.sub(m, b_.mul(to_sum, log_sum_exp_multiplier(x, x_b, l, l_b))));
  }

  void through_log_sum_exp(Value value, Value m) {
    const Node node = node_at_x(value);
    const auto axes = node.attributes.integers("axes");
    const Value x = at_x_(input(value)), x_b = at_b_(input(value));
    const Dims shape = b_.shape(x);
    const Value l = with_axes_kept(b_, at_x_(value), shape, axes), l_b = with_axes_kept(b_, at_b_(value), shape, axes);
    add(input(value), b_.mul(with_axes_kept(b_, m, shape, axes), log_sum_exp_multiplier(x, x_b, l, l_b)));
  }

  Builder& b_;
  const Graph& model_;
  const Placed &at_x_, &at_b_;
  std::vector<bool> moved_, touched_;  // touched: also through integers and choices
  const ModuleRule& module_;
  std::vector<Value>* alone_;
  std::vector<int64_t> depth_;
  std::map<Value, Layer> layer_at_;
  std::map<Value, Value> multipliers_;
  std::vector<SweepStep>* trace_;
  Value passed_on_;  // of the node at work, if there is a trace
};

}  // namespace

bool kept_for_multipliers(const Op& op) {
  return op.adjoint != nullptr || is_activation(op) || op.name == "reduce_max" || op.name == "reduce_min";
}

std::vector<Value> append_multipliers(Builder& builder, const Graph& model, const Placed& at_x, const Placed& at_b,
                                      Value target, Value seed, std::span<const Value> sources,
                                      const ModuleRule& module, std::vector<Value>* alone,
                                      std::vector<SweepStep>* trace) {
  const std::vector<bool> moved = moved_by(model, sources);
  MultiplierSweep sweep(builder, model, at_x, at_b, moved, module, find_layers(model, moved, target), alone, trace);
  sweep.add(target, seed);
  sweep.run(target);
  std::vector<Value> multipliers;
  for (const Value source : sources) multipliers.push_back(sweep.multiplier_of(source));
  return multipliers;
}

}  // namespace ascribe::core
