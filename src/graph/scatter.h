// What scatter_elements and scatter_nd share: how an update meets the element it lands on
// (attribute reduction: none | add | mul | min | max). Updates of one element are applied in
// row-major order, so that the last one wins with "none".
#pragma once

#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core {

// Refuses unknown reductions, arithmetic on booleans, and operands (x, indices, updates) of wrong kinds.
void expect_scatter(const Signature& signature);

// Copies x to the output, where the updates then land.
void copy_operand(const Evaluation& e);

enum class ScatterRule { none, add, mul, min, max };
ScatterRule scatter_rule(const Attributes& attributes);

// Only the reductions none and add have a derivative.
std::string scatter_refusal(const Attributes& attributes);

template <class T>
T combine(ScatterRule rule, T old, T update) {
  if constexpr (std::is_floating_point_v<T>) {
    if (rule != ScatterRule::none && std::isnan(old)) return old;
    if (std::isnan(update)) return update;
  }
  switch (rule) {
    case ScatterRule::add: return wrapping(std::plus{}, old, update);
    case ScatterRule::mul: return wrapping(std::multiplies{}, old, update);
    case ScatterRule::min: return std::min(old, update);
    case ScatterRule::max: return std::max(old, update);
    default: return update;
  }
}

}  // namespace ascribe::core
