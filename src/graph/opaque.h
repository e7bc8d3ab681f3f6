// A function of the caller's in a graph: known by its values only.
#pragma once

#include <functional>
#include <string>

#include "tensor/tensor.h"

namespace ascribe::core {

struct OpaqueFunction {
  std::string name;
  // Rows [rows, row...] in float or double to numbers [rows, ...] of either, a row for each.
  std::function<Tensor(const Tensor& rows)> call;
};

}  // namespace ascribe::core
