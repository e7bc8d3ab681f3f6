// RNN, unrolled: H = f(x W + h R + b).
#include "onnx/lowering/recurrent.h"

namespace ascribe::core::lowering_rnn {
namespace {

std::vector<Value> step(NodeContext& c, const Direction& d, Value from_input, const std::vector<Value>& state) {
  Builder& b = c.b();
  Value sum = b.add(from_input, b.matmul(state[0], d.recurrent, false, true));
  if (d.input_bias.valid()) sum = b.add(sum, b.add(d.input_bias, d.recurrent_bias));
  return {d.activations[0](b, sum)};
}

const RegisterLowering rnn(
    {"RNN", 22, "activation_alpha activation_beta activations clip direction hidden_size layout:14 output_sequence"},
    [](NodeContext& c) {
      lower_recurrent(
          c, {.gates = 1, .states = 1, .activations = {"Tanh"}},
          [&](const Direction& d, Value gates, const std::vector<Value>& state) { return step(c, d, gates, state); });
    },
    "unrolled, at most 4096 steps");

}  // namespace
}  // namespace ascribe::core::lowering_rnn
