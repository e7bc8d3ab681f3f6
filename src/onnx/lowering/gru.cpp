// GRU, unrolled. Gates in the order z, r, h:
//   z = f(x Wz + h Rz + b)    r = f(x Wr + h Rr + b)    H = (1 - z) g(...) + z h
// with g of x Wh + (r h) Rh + b, or of x Wh + wb + r (h Rh + rb) with linear_before_reset.
#include "onnx/lowering/recurrent.h"

namespace ascribe::core::lowering_gru {
namespace {

std::vector<Value> step(NodeContext& c, const Direction& d, Value from_input, const std::vector<Value>& state) {
  Builder& b = c.b();
  const Value h = state[0];
  const int64_t hidden = d.hidden;
  const auto with_bias = [&](Value x, Value bias, int64_t first, int64_t count) {
    return bias.valid() ? b.add(x, b.slice(bias, 0, first * hidden, count * hidden)) : x;
  };
  const auto recurrent = [&](Value x, int64_t first, int64_t count) {
    return b.matmul(x, b.slice(d.recurrent, 0, first * hidden, count * hidden), false, true);
  };
  const Value input = with_bias(from_input, d.input_bias, 0, 3);
  Value gates = b.add(b.slice(input, 1, 0, 2 * hidden), with_bias(recurrent(h, 0, 2), d.recurrent_bias, 0, 2));
  gates = d.activations[0](b, gates);
  const Value update = gate(b, gates, 0, hidden), reset = gate(b, gates, 1, hidden);
  const bool late_reset = c.integer("linear_before_reset", 0) != 0;
  const Value from_state = late_reset ? b.mul(reset, with_bias(recurrent(h, 2, 1), d.recurrent_bias, 2, 1))
                                      : with_bias(recurrent(b.mul(reset, h), 2, 1), d.recurrent_bias, 2, 1);
  const Value candidate = d.activations[1](b, b.add(gate(b, input, 2, hidden), from_state));
  return {b.add(b.mul(b.sub(b.scalar(1), update), candidate), b.mul(update, h))};
}

const RegisterLowering gru(
    {"GRU", 22,
     "activation_alpha activation_beta activations clip direction hidden_size layout:14 linear_before_reset:3 "
     "output_sequence"},
    [](NodeContext& c) {
      lower_recurrent(
          c, {.gates = 3, .states = 1, .activations = {"Sigmoid", "Tanh"}},
          [&](const Direction& d, Value gates, const std::vector<Value>& state) { return step(c, d, gates, state); });
    },
    "unrolled, at most 4096 steps");

}  // namespace
}  // namespace ascribe::core::lowering_gru
