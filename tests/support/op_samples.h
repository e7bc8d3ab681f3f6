// A small example of every core operation, several where it has several cases. Suites walk them, so that
// an operation that lacks one is noticed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

// Where random real operands lie: anywhere, in (0, 1), or apart from each other and from 0 and so from kinks.
enum class Range { any, positive, separated };

// One operation with operands of these types. Integer and boolean operands are given by value.
struct OpSample {
  std::string op;
  std::vector<Type> operands;
  Attributes attributes;
  std::map<size_t, Tensor> values = {};  // of operands that cannot be random
  Range range = Range::any;
  std::set<size_t> still = {};  // real operands without a derivative at these values
};

std::vector<OpSample> op_samples();

bool grows(const OpSample& sample);  // with the batch

// Inputs x0, x1, ... and output y; some operands may be constants.
Graph sample_graph(const OpSample& sample, const std::set<size_t>& constant = {});
std::map<std::string, Tensor> sample_inputs(const OpSample& sample, int64_t rows);

}  // namespace ascribe::core
