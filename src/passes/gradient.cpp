#include "passes/gradient.h"

#include <algorithm>
#include <map>

#include "passes/differentiable.h"
#include "passes/expand_composites.h"

namespace ascribe::core {

namespace {

// For one source: which nodes up to the target it moves, and which it reaches in any way.
struct Reach {
  std::vector<bool> moved, touched;
};

Reach reach_of(const Graph& graph, Value source, Value target) {
  const auto count = static_cast<size_t>(target.index) + 1;
  Reach reach{std::vector<bool>(count, false), std::vector<bool>(count, false)};
  if (source.index > target.index) return reach;
  reach.moved[source.index] = reach.touched[source.index] = true;
  for (auto i = static_cast<size_t>(source.index) + 1; i < count; ++i) {
    const Node& node = graph.nodes[i];
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      const size_t from = node.inputs[operand].index;
      if (reach.touched[from]) reach.touched[i] = true;
      if (reach.moved[from] && carries_derivative(graph, node, operand)) reach.moved[i] = true;
    }
  }
  return reach;
}

// The last node before the target at which the derivative is lost.
const Node* breaking_node(const Graph& graph, const Reach& reach, Value target) {
  std::vector<bool> leads(reach.touched.size(), false);
  leads[target.index] = true;
  for (size_t i = leads.size(); i-- > 0;) {
    if (!leads[i]) continue;
    for (const Value input : graph.nodes[i].inputs) {
      if (reach.moved[input.index] && !reach.moved[i]) return &graph.nodes[i];
      if (reach.touched[input.index]) leads[input.index] = true;
    }
  }
  return nullptr;
}

void require_path(const Graph& graph, const Reach& reach, Value source, Value target) {
  if (reach.moved[target.index] || !reach.touched[target.index]) return;
  const Node* node = breaking_node(graph, reach, target);
  fail(ErrorKind::unsupported, node != nullptr ? describe(*node) : "gradient",
       "the output depends on {} only through operations without a derivative; got {}; expected a differentiable path",
       describe(graph[source]), node != nullptr ? node->op->name : "none");
}

void note_flat_nodes(const Graph& graph, const std::vector<bool>& moved, std::vector<std::string>& notes) {
  for (size_t i = 0; i < moved.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!is_flat(node)) continue;
    const bool entered = std::any_of(node.inputs.begin(), node.inputs.end(),
                                     [&](Value input) { return moved[static_cast<size_t>(input.index)]; });
    if (entered) notes.push_back(fmt::format("{} is piecewise constant; its derivative is taken as 0", describe(node)));
  }
}

// Sums a gradient over the axes along which the operand was broadcast.
Value sum_to(Builder& b, Value value, Value operand) {
  const Dims shape = b.shape(operand);  // a copy: the graph grows
  if (b.shape(value) == shape) return value;
  std::vector<int64_t> leading, kept;
  for (int64_t axis = 0; axis < b.rank(value) - static_cast<int64_t>(shape.size()); ++axis) leading.push_back(axis);
  if (!leading.empty()) value = b.reduce("reduce_sum", value, leading, false);
  for (int64_t axis = 0; axis < b.rank(value); ++axis) {
    const auto skipped = static_cast<int64_t>(shape.size()) - b.rank(value);
    if (shape[axis + skipped] == Dim(1) && b.shape(value)[axis] != Dim(1)) kept.push_back(axis);
  }
  if (!kept.empty()) value = b.reduce("reduce_sum", value, kept, true);
  return b.shape(value) == shape ? value : b.expand(value, shape);
}

class ReverseSweep {
 public:
  ReverseSweep(Builder& builder, std::vector<bool> moved, GradientGuide guide)
      : b_(builder), moved_(std::move(moved)), guide_(guide) {}

  void seed(Value value, Value gradient) { add(value, gradient); }

  void run(Value target) {
    for (int32_t i = target.index; i >= 0; --i) {
      const auto found = gradients_.find({i});
      if (found != gradients_.end() && moved_[static_cast<size_t>(i)]) pass_on({i}, found->second);
    }
  }

  Value gradient_of(Value value) {
    const auto found = gradients_.find(value);
    return found != gradients_.end() ? found->second : b_.expand(b_.scalar(0), b_.shape(value));
  }

 private:
  void add(Value value, Value gradient) {
    const auto [it, fresh] = gradients_.try_emplace(value, gradient);
    if (!fresh) it->second = b_.add(it->second, gradient);
  }

  void pass_on(Value value, Value gradient) {
    const Node node = b_.graph()[value];  // a copy: the graph grows
    b_.set_name(node.name);
    b_.set_where("gradient of " + describe(node));
    require_derivative(node);
    if (guide_ != nullptr) gradient = guide_(b_, node, gradient);
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      const Value input = node.inputs[operand];
      if (!moved_[static_cast<size_t>(input.index)] || !carries_derivative(b_.graph(), node, operand)) continue;
      const Value share = share_of(node, value, operand, gradient);
      add(input, sum_to(b_, share, input));
    }
  }

  Value share_of(const Node& node, Value value, size_t operand, Value gradient) {
    if (is_identity_in_derivatives(*node.op)) return gradient;
    const DerivativeRequest request{b_, node.inputs, value, node.attributes, operand};
    if (node.op->adjoint != nullptr) return node.op->adjoint(request, gradient);
    require(node.op->derivative != nullptr, describe(node), "has neither adjoint nor derivative; expand it first");
    return b_.mul(gradient, node.op->derivative(request));
  }

  Builder& b_;
  std::vector<bool> moved_;
  GradientGuide guide_;
  std::map<Value, Value> gradients_;
};

}  // namespace

std::vector<Value> append_gradient(Builder& builder, Value target, Value seed, std::span<const Value> sources,
                                   std::vector<std::string>* notes, GradientGuide guide) {
  const Graph& graph = builder.graph();
  require(builder.kind(target) == Kind::real, describe(graph[target]), "only reals have a gradient");
  std::vector<bool> moved(static_cast<size_t>(target.index) + 1, false);
  for (const Value source : sources) {
    const Reach reach = reach_of(graph, source, target);
    require_path(graph, reach, source, target);
    if (!reach.touched[target.index] && notes != nullptr) {
      notes->push_back(fmt::format("the output does not depend on {}: its gradient is 0", describe(graph[source])));
    }
    for (size_t i = 0; i < moved.size(); ++i) moved[i] = moved[i] || reach.moved[i];
  }
  if (notes != nullptr) note_flat_nodes(graph, moved, *notes);
  ReverseSweep sweep(builder, moved, guide);
  sweep.seed(target, seed);
  sweep.run(target);
  std::vector<Value> gradients;
  for (const Value source : sources) gradients.push_back(sweep.gradient_of(source));
  return gradients;
}

Gradient gradient(const Graph& graph, const GradientOptions& options) {
  require(options.output < graph.outputs.size(), "gradient", "there is no such output");
  Gradient result;
  result.graph = expand_composites(graph, true).graph;
  Graph& out = result.graph;
  Builder builder(out);
  const Port target = out.outputs[options.output];
  const std::vector<Port> sources = moving_inputs(out, options.inputs);
  const Value seed = builder.input(options.seed, builder.type(target.value), target.element_type);
  std::vector<Value> values;
  for (const Port& source : sources) values.push_back(source.value);
  const auto gradients = append_gradient(builder, target.value, seed, values, &result.notes);
  out.outputs = {target};
  for (size_t i = 0; i < sources.size(); ++i) {
    builder.output("gradient." + sources[i].name, gradients[i], sources[i].element_type);
  }
  out.drop_unread();
  return result;
}

}  // namespace ascribe::core
