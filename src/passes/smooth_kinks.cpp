#include "passes/smooth_kinks.h"

#include <cmath>
#include <functional>
#include <map>

#include "graph/builder.h"
#include "graph/window.h"
#include "passes/choices.h"
#include "passes/expand_composites.h"

namespace ascribe::core {

namespace {

constexpr double kNeverWins = -1e30;  // padding: finite, because infinities less infinities are not numbers

struct Smoother {
  Builder& b;
  double temperature;

  Value plus(Value z) const { return b.mul(b.op("softplus", {b.mul(z, temperature)}), 1 / temperature); }

  Value leaky_relu(Value z, double alpha) const { return b.add(b.mul(z, alpha), b.mul(plus(z), 1 - alpha)); }
  Value clip(Value z, double low, double high) const {
    Value y = z;
    if (low > -INFINITY) y = b.add(plus(b.add(z, -low)), low);
    if (high < INFINITY) y = b.sub(y, plus(b.add(z, -high)));
    return y;
  }
  Value abs(Value z) const { return b.sub(b.mul(plus(z), 2), z); }
  Value maximum(Value a, Value c) const { return b.add(c, plus(b.sub(a, c))); }
  Value minimum(Value a, Value c) const { return b.sub(a, plus(b.sub(a, c))); }

  Value largest(Value x, const std::vector<int64_t>& axes, bool keepdims, double sign) const {
    const double scale = sign * temperature;
    return b.mul(b.reduce("reduce_log_sum_exp", b.mul(x, scale), axes, keepdims), 1 / scale);
  }

  // What lies at one place of every window, for all places, side by side in a new axis in front.
  Value max_pool(Value x, const Attributes& attributes) const {
    const Shape shape = at(b.shape(x), 1);
    const Window window = pool_window(attributes, shape, "max_pool");
    std::vector<Value> taps = {padded(x, window)};
    for (size_t axis = 0; axis < window.size(); ++axis) {
      std::vector<Value> cut;
      for (const Value tap : taps) {
        for (int64_t k = 0; k < window[axis].kernel; ++k) {
          cut.push_back(b.slice(tap, static_cast<int64_t>(axis) + 2, k * window[axis].dilation, window[axis].output,
                                window[axis].stride));
        }
      }
      taps = std::move(cut);
    }
    for (Value& tap : taps) {
      Dims shown = b.shape(tap);
      shown.push_back(1);
      tap = b.reshape(tap, shown);
    }
    const Value side_by_side = b.concat(taps, b.rank(x));
    return largest(side_by_side, {b.rank(x)}, false, 1);
  }

  // So that every window is whole.
  Value padded(Value x, const Window& window) const {
    Dims before(b.shape(x).size(), 0), after = before;
    for (size_t axis = 0; axis < window.size(); ++axis) {
      const WindowAxis& a = window[axis];
      before[axis + 2] = a.before;
      after[axis + 2] = std::max<int64_t>(0, (a.output - 1) * a.stride + a.reach() - a.before - a.input);
    }
    return b.op(
        "pad", {x},
        {{"before", before}, {"after", after}, {"mode", std::string("constant")}, {"value", reals({kNeverWins})}});
  }
};

using Replacement = std::function<Value(const Smoother&, std::span<const Value>, const Attributes&)>;

const std::map<std::string, Replacement>& replacements() {
  using In = std::span<const Value>;
  const auto extremum = [](double sign) {
    return [sign](const Smoother& s, In in, const Attributes& attributes) {
      return s.largest(in[0], attributes.integers("axes"), attributes.flag("keepdims"), sign);
    };
  };
  static const std::map<std::string, Replacement> table = {
      {"relu", [](const Smoother& s, In in, const Attributes&) { return s.plus(in[0]); }},
      {"leaky_relu",
       [](const Smoother& s, In in, const Attributes& a) { return s.leaky_relu(in[0], a.real("alpha")); }},
      {"clip",
       [](const Smoother& s, In in, const Attributes& a) { return s.clip(in[0], a.real("min"), a.real("max")); }},
      {"abs", [](const Smoother& s, In in, const Attributes&) { return s.abs(in[0]); }},
      {"maximum", [](const Smoother& s, In in, const Attributes&) { return s.maximum(in[0], in[1]); }},
      {"minimum", [](const Smoother& s, In in, const Attributes&) { return s.minimum(in[0], in[1]); }},
      {"max_pool", [](const Smoother& s, In in, const Attributes& a) { return s.max_pool(in[0], a); }},
      {"reduce_max", extremum(1)},
      {"reduce_min", extremum(-1)},
  };
  return table;
}

// Elu and hard swish are made of pieces; relu and the like are replaced as they are, and smooth functions stay.
bool stays_whole(const Op& op) { return op.op_class != OpClass::composite || !op.traits.pointwise; }

bool can_be_replaced(const Node& node) {
  return node.type.kind == Kind::real && replacements().count(node.op->name) > 0;
}

}  // namespace

Smoothed smooth_kinks(const Graph& graph, double temperature) {
  if (!(temperature > 0) || !std::isfinite(temperature)) {
    fail(ErrorKind::argument, "smooth", "got {}; expected a temperature above 0", temperature);
  }
  const Graph pieces = expand_composites(graph, stays_whole).graph;
  Smoothed result;
  Graph& out = result.graph;
  out.name = graph.name;
  Builder b(out);
  const Smoother smoother{b, temperature};
  std::vector<Value> values;
  const auto moved = [&](Value value) { return values[static_cast<size_t>(value.index)]; };
  for (const Node& node : pieces.nodes) {
    std::vector<Value> inputs;
    for (const Value input : node.inputs) inputs.push_back(moved(input));
    b.set_name(node.name);
    b.set_where(describe(node));
    if (can_be_replaced(node)) {
      values.push_back(replacements().at(node.op->name)(smoother, inputs, node.attributes));
      ++result.replaced;
      continue;
    }
    Node copy = node;
    copy.inputs = std::move(inputs);
    out.nodes.push_back(std::move(copy));
    values.push_back({static_cast<int32_t>(out.nodes.size()) - 1});
  }
  out.inputs = pieces.inputs;
  out.outputs = pieces.outputs;
  for (auto* ports : {&out.inputs, &out.outputs}) {
    for (Port& port : *ports) port.value = moved(port.value);
  }
  result.left = kinks_in(out);
  return result;
}

}  // namespace ascribe::core
