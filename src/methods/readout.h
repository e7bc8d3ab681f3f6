// What is explained of an output, if it is more than one of its numbers: nodes behind the output that make one number
// per row of it, so that every method, game and metric asks about that number as it would about any other.
//
// linear: sum over i of w_i y_i; product: of some y_i; log_probability: sum over j of log softmax(y_p)[t], y_p the
// numbers at position p. Several parts are several numbers per row: questions about different rows may differ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

struct Readout {
  enum class Kind { linear, product, log_probability } kind = Kind::linear;
  Shape row;                                        // of the output that is read
  std::vector<Tensor> weights = {};                 // linear: of each part, in double, as many numbers as a row has
  std::vector<std::vector<int64_t>> elements = {};  // otherwise: numbers of a row, row-major
  std::string key = {};                             // what tells it from others: equal keys, equal numbers

  int64_t parts() const { return kind == Kind::linear ? std::ssize(weights) : std::ssize(elements); }
};

using ReadoutRef = std::shared_ptr<const Readout>;

// Appends the numbers that are read of `output` [N, row...]: [N, parts].
Value append_readout(Builder& builder, Value output, const Readout& readout);

}  // namespace ascribe::core
