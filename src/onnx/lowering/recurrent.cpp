#include "onnx/lowering/recurrent.h"

#include <limits>

#include "base/ascii.h"

namespace ascribe::core {

namespace {

constexpr int64_t kLongestSequence = 4096;

struct ActivationKind {
  std::string name;
  int parameters;  // alpha, then beta
  double alpha, beta;
  Value (*apply)(Builder&, Value, double alpha, double beta);
};

Value clip(Builder& b, Value x, double low, double high) {
  return b.op("clip", {x}, {{"min", reals({low})}, {"max", reals({high})}});
}

const ActivationKind kActivations[] = {
    {"Sigmoid", 0, 0, 0, [](Builder& b, Value x, double, double) { return b.op("sigmoid", {x}); }},
    {"Tanh", 0, 0, 0, [](Builder& b, Value x, double, double) { return b.op("tanh", {x}); }},
    {"Relu", 0, 0, 0, [](Builder& b, Value x, double, double) { return b.op("relu", {x}); }},
    {"Softplus", 0, 0, 0, [](Builder& b, Value x, double, double) { return b.op("softplus", {x}); }},
    {"Softsign", 0, 0, 0, [](Builder& b, Value x, double, double) { return b.div(x, b.add(b.op("abs", {x}), 1.0)); }},
    {"Affine", 2, 1, 0, [](Builder& b, Value x, double alpha, double beta) { return b.add(b.mul(x, alpha), beta); }},
    {"ScaledTanh", 2, 1, 1,
     [](Builder& b, Value x, double alpha, double beta) { return b.mul(b.op("tanh", {b.mul(x, beta)}), alpha); }},
    {"HardSigmoid", 2, 0.2, 0.5,
     [](Builder& b, Value x, double alpha, double beta) { return clip(b, b.add(b.mul(x, alpha), beta), 0, 1); }},
    {"LeakyRelu", 1, 0.01, 0,
     [](Builder& b, Value x, double alpha, double) {
       return b.op("leaky_relu", {x}, {{"alpha", reals({alpha})}});
     }},
    {"Elu", 1, 1, 0,
     [](Builder& b, Value x, double alpha, double) {
       return b.op("elu", {x}, {{"alpha", reals({alpha})}});
     }},
    {"ThresholdedRelu", 1, 1, 0,
     [](Builder& b, Value x, double alpha, double) {
       return b.op("where", {b.op("less", {b.scalar(alpha), x}), x, b.scalar(0)});
     }},
};

const ActivationKind& activation_named(const NodeContext& c, const std::string& name) {
  for (const ActivationKind& kind : kActivations) {
    if (ascii_lower(kind.name) == ascii_lower(name)) return kind;
  }
  c.refuse("there is no activation \"{}\"", name);
}

// One per gate function and direction. Alphas and betas are given in order to those that take them.
std::vector<Activation> read_activations(const NodeContext& c, const std::vector<std::string>& defaults,
                                         int directions) {
  std::vector<std::string> names = c.texts("activations", {});
  for (int d = 0; names.size() < defaults.size() * directions; ++d) {
    names.push_back(defaults[names.size() % defaults.size()]);
  }
  if (names.size() != defaults.size() * directions) {
    c.refuse("activations has {} entries; expected {}", names.size(), defaults.size() * directions);
  }
  const auto alphas = c.reals("activation_alpha", {}), betas = c.reals("activation_beta", {});
  const double limit = c.real("clip", std::numeric_limits<double>::infinity());
  size_t next_alpha = 0, next_beta = 0;
  std::vector<Activation> result;
  for (const std::string& name : names) {
    const ActivationKind& kind = activation_named(c, name);
    double alpha = kind.alpha, beta = kind.beta;
    if (kind.parameters > 0 && next_alpha < alphas.size()) alpha = alphas[next_alpha++];
    if (kind.parameters > 1 && next_beta < betas.size()) beta = betas[next_beta++];
    result.push_back([&kind, alpha, beta, limit](Builder& b, Value x) {
      if (limit < std::numeric_limits<double>::infinity()) x = clip(b, x, -limit, limit);
      return kind.apply(b, x, alpha, beta);
    });
  }
  return result;
}

// Everything the unrolling needs to know about the node.
struct Unrolling {
  int64_t steps = 0, hidden = 0;
  int directions = 1;
  bool backward_only = false, row_major = false;  // row_major: layout 1, [B, S, ...]
  Value x;                                        // [S, B, input]
  Dim rows;
  Value lengths;  // [B], or invalid if every row has all steps
};

Unrolling read_unrolling(NodeContext& c) {
  Builder& b = c.b();
  Unrolling u;
  u.row_major = c.integer("layout", 0) != 0;
  if (b.rank(c.in(0)) != 3) c.refuse("the input has rank {}; expected 3", b.rank(c.in(0)));
  u.x = u.row_major ? b.transpose(c.in(0), {1, 0, 2}) : c.in(0);
  u.steps = fixed_size(c, b.shape(u.x)[0], "the number of steps");
  if (u.steps < 1 || u.steps > kLongestSequence) {
    c.unsupported("{} steps; expected 1 to {}", u.steps, kLongestSequence);
  }
  u.rows = b.shape(u.x)[1];
  const std::string direction = c.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    c.refuse("direction is \"{}\"", direction);
  }
  u.directions = direction == "bidirectional" ? 2 : 1;
  u.backward_only = direction == "reverse";
  if (b.rank(c.in(2)) != 3) c.refuse("R has rank {}; expected 3", b.rank(c.in(2)));
  u.hidden = fixed_size(c, b.shape(c.in(2))[2], "the hidden size");
  if (c.integer("hidden_size", u.hidden) != u.hidden) {
    c.refuse("hidden_size is {}; expected {} as in R", c.integer("hidden_size"), u.hidden);
  }
  if (!c.has(4)) return u;
  u.lengths = c.in(4);
  const auto known = b.known_integers(u.lengths);
  if (known && std::all_of(known->begin(), known->end(), [&](Dim d) { return d == Dim(u.steps); })) u.lengths = {};
  return u;
}

// Row `index` of the first axis.
Value part(Builder& b, Value x, int64_t index) { return squeeze(b, b.slice(x, 0, index, 1), {0}); }

// The initial state of one direction, zero if there is none. [B, hidden]
Value initial_state(NodeContext& c, const Unrolling& u, size_t input, int direction) {
  Builder& b = c.b();
  const Dims shape = {u.rows, u.hidden};
  if (!c.has(input)) return b.expand(b.scalar(0), shape);
  const Value given = c.in(input);
  if (b.rank(given) != 3) c.refuse("an initial state has rank {}; expected 3", b.rank(given));
  const Value own = part(b, u.row_major ? b.transpose(given, {1, 0, 2}) : given, direction);
  return b.shape(own) == shape ? own : b.expand(own, shape);
}

void check_shape(const NodeContext& c, std::string_view what, Value value, const Dims& expected) {
  const Dims& shape = c.b().shape(value);
  if (shape != expected) c.refuse("{} has shape {}; expected {}", what, to_string(shape), to_string(expected));
}

Direction read_direction(NodeContext& c, const RecurrentLayout& layout, const Unrolling& u, int index) {
  Builder& b = c.b();
  const int64_t gates = layout.gates * u.hidden;
  check_shape(c, "W", c.in(1), {u.directions, gates, b.shape(u.x)[2]});
  check_shape(c, "R", c.in(2), {u.directions, gates, u.hidden});
  Direction d;
  d.hidden = u.hidden;
  d.gates = b.matmul(u.x, part(b, c.in(1), index), false, true);
  d.recurrent = part(b, c.in(2), index);
  if (c.has(3)) {
    check_shape(c, "B", c.in(3), {u.directions, 2 * gates});
    const Value biases = part(b, c.in(3), index);
    d.input_bias = b.slice(biases, 0, 0, gates);
    d.recurrent_bias = b.slice(biases, 0, gates, gates);
  }
  d.state.push_back(initial_state(c, u, layout.initial_h, index));
  if (layout.states == 2) {
    d.state.push_back(initial_state(c, u, layout.initial_c, index));
    if (c.has(layout.peephole)) {
      check_shape(c, "P", c.in(layout.peephole), {u.directions, 3 * u.hidden});
      d.peephole = part(b, c.in(layout.peephole), index);
    }
  }
  return d;
}

// Runs all steps; returns h of every step in the order of time, and leaves the last state in `d`.
// Rows that are shorter keep their state beyond their end and give zeros there.
std::vector<Value> unroll(NodeContext& c, const Unrolling& u, Direction& d, const Cell& cell, bool backward) {
  Builder& b = c.b();
  std::vector<Value> outputs(u.steps);
  for (int64_t step = 0; step < u.steps; ++step) {
    const int64_t time = backward ? u.steps - 1 - step : step;
    auto next = cell(d, part(b, d.gates, time), d.state);
    outputs[time] = next[0];
    if (u.lengths.valid()) {
      const Value active = unsqueeze(b, b.op("less", {b.integer(time), u.lengths}), {1});
      outputs[time] = b.op("where", {active, next[0], b.scalar(0)});
      for (size_t i = 0; i < next.size(); ++i) next[i] = b.op("where", {active, next[i], d.state[i]});
    }
    d.state = next;
  }
  return outputs;
}

Value concat(Builder& b, const std::vector<Value>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : b.concat(parts, axis);
}

}  // namespace

Value gate(Builder& b, Value gates, int64_t index, int64_t hidden) {
  return b.slice(gates, b.rank(gates) - 1, index * hidden, hidden);
}

void lower_recurrent(NodeContext& c, const RecurrentLayout& layout, const Cell& cell) {
  Builder& b = c.b();
  const Unrolling u = read_unrolling(c);
  const auto activations = read_activations(c, layout.activations, u.directions);
  const auto per_direction = static_cast<int64_t>(layout.activations.size());
  std::vector<Value> sequences;                           // [S, 1, B, H] per direction
  std::vector<std::vector<Value>> finals(layout.states);  // [1, B, H] per state and direction
  for (int index = 0; index < u.directions; ++index) {
    Direction d = read_direction(c, layout, u, index);
    d.activations.assign(activations.begin() + index * per_direction,
                         activations.begin() + (index + 1) * per_direction);
    std::vector<Value> steps = unroll(c, u, d, cell, u.backward_only || index == 1);
    for (int s = 0; s < layout.states; ++s) finals[s].push_back(unsqueeze(b, d.state[s], {0}));
    if (!c.wants(0)) continue;
    for (Value& step : steps) step = unsqueeze(b, step, {0, 1});
    sequences.push_back(concat(b, steps, 0));
  }
  if (c.wants(0)) {
    const Value y = concat(b, sequences, 1);
    c.out(0, u.row_major ? b.transpose(y, {2, 0, 1, 3}) : y);
  }
  for (int s = 0; s < layout.states; ++s) {
    if (!c.wants(s + 1)) continue;
    const Value last = concat(b, finals[s], 0);
    c.out(s + 1, u.row_major ? b.transpose(last, {1, 0, 2}) : last);
  }
}

}  // namespace ascribe::core
