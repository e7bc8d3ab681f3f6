// Quantised values: whole numbers q that stand for (q - zero point) scale. They are kept as reals, so that
// derivatives find a way through; the rounding is computed, and differentiated straight through (core op quantize).
#pragma once

#include "onnx/lowering/support.h"

namespace ascribe::core {

// What the whole numbers of an element type reach.
struct WholeRange {
  double low = 0, high = 255;
};
// Refuses types that are not whole numbers of at most 16 bits.
WholeRange whole_range(const NodeContext& c, const std::string& element_type);

// How numbers are scaled: one scale and zero point for all, one for each place along an axis, or for each block of it.
struct Scaling {
  Value scale;
  Value zero;  // real; not valid: 0
  int64_t axis = 0;
  int64_t block = 0;
};
// From two operands of the node; `zero` may be missing.
Scaling read_scaling(const NodeContext& c, size_t scale, size_t zero, int64_t axis = 0, int64_t block = 0);

Value dequantize(NodeContext& c, Value q, const Scaling& scaling);                  // (q - zero) scale
Value quantize(NodeContext& c, Value x, const Scaling& scaling, WholeRange range);  // round(x / scale) + zero, clipped
// ... where the element type of operand `zero`, or uint8, gives the range.
Value quantize(NodeContext& c, Value x, const Scaling& scaling, size_t zero);

}  // namespace ascribe::core
