// What the factors of a product are to each other: a signal, and what only scales it.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// Whether a factor only scales the other one: bounded like sigmoid, softmax or a clipped line, or shifted like 1 + tanh
// or 1 + erf, seen through what moves or scales it; and what divides. (Ali et al. 2022; Arras et al. 2017: the signal
// takes all.)
bool is_gate(const Graph& graph, Value value);

// Whether a product with this value is a quotient, written as one or not: 1 / v, a negative power, behind what moves or
// scales it. So normalisations are written: x times 1 / deviation.
bool divides(const Graph& graph, Value value);

// Whether the value is a softmax, or depends on the inputs through one only, by operations that are linear in it.
bool is_softmax_weight(const Graph& model, const std::vector<bool>& moved, Value value);

// The value of which both factors of a product are functions, number by number: the product is then an activation that
// a file spells out, x times sigmoid(x) or x times (1 + erf(x / sqrt(2))) / 2. Nothing: it is none.
std::optional<Value> activated_by(const Graph& model, const std::vector<bool>& moved, Value product);

// Whether the value is `of` times constants.
bool is_multiple_of(const Graph& model, const std::vector<bool>& moved, Value value, Value of);

}  // namespace ascribe::core
