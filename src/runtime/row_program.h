// Operations on rows, run as one step. What lies between two matrix products of a network or of its gradient (layer
// normalisation, GELU, softmax, their derivatives, sums and factors) are many small operations, each of which would
// read and write whole values; together they read each row once. `fuse_rows` finds them in a graph, whatever their
// pattern.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// clang-format off
enum class RowOp : int {
  add, sub, mul, div, gate, less, at_least, at_most, elu,       // of two operands; elu: x and alpha
  gelu_slope, gelu_tanh_slope, silu_slope,                      // a times the derivative at b
  neg, exp, erf, tanh, sqrt, reciprocal, sigmoid, relu, copy,   // of one
  gelu, gelu_tanh, silu,
  sum, mean,                                                    // one number for a row
  normalize, softmax,                                           // of a whole row
};
// clang-format on

// An operand of an instruction: the result of an earlier one, an input of the node, or a number.
struct RowOperand {
  enum class From : int { instruction, input, number } from = From::instruction;
  int index = 0;
};

struct RowInstruction {
  RowOp op = RowOp::copy;
  RowOperand a, b;  // normalize: b is epsilon; unary: b is a
};

struct RowProgram {
  Dims shape;            // of whole values
  int64_t row_axes = 0;  // the last so many axes are a row; 0: elements are all alike
  std::vector<RowInstruction> code;
  std::vector<double> numbers;
};

// As attributes of a node, and back.
Attributes to_attributes(const RowProgram& program);
RowProgram row_program_of(const Attributes& attributes);

// What such a node is to a plan. It is not in the registry: only the runtime sees it, and no pass.
const Op& row_program_op();

// Makes one instruction of a program that computes a well-known activation or a multiple of its derivative, however it
// is spelled: it is known by its values.
void recognise(RowProgram& program);

// Replaces groups of operations by row programs. A group has one result; a value that it needs and that others need,
// too, is computed again where that reads nothing more.
void fuse_rows(Graph& graph);

}  // namespace ascribe::core
