// LSTM, unrolled. Gates in the order i, o, f, c:
//   i = f(x Wi + h Ri + Pi c + b)     o = f(x Wo + h Ro + Po C + b)   (C the new cell state)
//   f = f(x Wf + h Rf + Pf c + b)     C = f c + i g(x Wc + h Rc + b)      H = o h(C)
#include "onnx/lowering/recurrent.h"

namespace ascribe::core::lowering_lstm {
namespace {

std::vector<Value> step(NodeContext& c, const Direction& d, Value from_input, const std::vector<Value>& state) {
  Builder& b = c.b();
  Value sum = b.add(from_input, b.matmul(state[0], d.recurrent, false, true));
  if (d.input_bias.valid()) sum = b.add(sum, b.add(d.input_bias, d.recurrent_bias));
  const auto with_peephole = [&](int64_t index, int64_t peephole, Value cell) {
    const Value own = gate(b, sum, index, d.hidden);
    if (!d.peephole.valid()) return own;
    return b.add(own, b.mul(gate(b, d.peephole, peephole, d.hidden), cell));
  };
  const Value input = d.activations[0](b, with_peephole(0, 0, state[1]));
  const bool coupled = c.integer("input_forget", 0) != 0;
  const Value forget = coupled ? b.sub(b.scalar(1), input) : d.activations[0](b, with_peephole(2, 2, state[1]));
  const Value candidate = d.activations[1](b, gate(b, sum, 3, d.hidden));
  const Value cell = b.add(b.mul(forget, state[1]), b.mul(input, candidate));
  const Value output = d.activations[0](b, with_peephole(1, 1, cell));
  return {b.mul(output, d.activations[2](b, cell)), cell};
}

const RegisterLowering lstm(
    {"LSTM", 22,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout:14 output_sequence"},
    [](NodeContext& c) {
      lower_recurrent(
          c, {.gates = 4, .states = 2, .activations = {"Sigmoid", "Tanh", "Tanh"}},
          [&](const Direction& d, Value gates, const std::vector<Value>& state) { return step(c, d, gates, state); });
    },
    "unrolled, at most 4096 steps");

}  // namespace
}  // namespace ascribe::core::lowering_lstm
