// A constant that is added to rearranged numbers (or multiplied with them), as a constant for the numbers before that.
#pragma once

#include <optional>

#include "graph/builder.h"

namespace ascribe::core {

// c' with move(u) + c = move(u + c'), for a transpose or a reshape; nothing where c does not broadcast to u that way.
std::optional<Value> moved_back(Builder& b, const Node& move, Value constant);

}  // namespace ascribe::core
