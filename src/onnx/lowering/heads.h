// The heads of attention: axes split and joined.
#pragma once

#include "onnx/lowering/support.h"

namespace ascribe::core {

Value split_heads(const NodeContext& c, Value x, int64_t heads);  // [B, S, heads * D] -> [B, heads, S, D]
Value merge_heads(Builder& b, Value x);                           // and back

}  // namespace ascribe::core
