// What LSTM, GRU and RNN share: reading the operands of one direction, unrolling the steps
// into core operations, and putting the outputs together. A cell is a function from the
// input's share of the gates and the state to the next state.
#pragma once

#include <functional>

#include "onnx/lowering/support.h"

namespace ascribe::core {

using Activation = std::function<Value(Builder&, Value)>;

// One direction of a recurrent operator; [B, hidden] for states, h first.
struct Direction {
  Value gates;                          // X W^T for all steps, [S, B, gates * hidden], without bias
  Value recurrent;                      // R, [gates * hidden, hidden]
  Value input_bias, recurrent_bias;     // [gates * hidden], invalid if there is none
  Value peephole;                       // [3 * hidden] of an LSTM, or invalid
  std::vector<Value> state;             // h (and c)
  std::vector<Activation> activations;  // clipped if the node says so
  int64_t hidden = 0;
};

struct RecurrentLayout {
  int gates;                             // 1, 3 or 4
  int states;                            // 1, or 2 with a cell state
  size_t initial_h = 5;                  // operands
  size_t initial_c = 6;                  // LSTM only
  size_t peephole = 7;                   // LSTM only
  std::vector<std::string> activations;  // defaults of one direction
};

// The columns [index * hidden, (index + 1) * hidden) of the last axis.
Value gate(Builder& b, Value gates, int64_t index, int64_t hidden);

// cell(direction, gates of the step [B, gates * hidden], state) -> next state.
using Cell = std::function<std::vector<Value>(const Direction&, Value, const std::vector<Value>&)>;

void lower_recurrent(NodeContext& c, const RecurrentLayout& layout, const Cell& cell);

}  // namespace ascribe::core
