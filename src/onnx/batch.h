// Running a file for any number of rows N. A file whose batch is fixed to 1 hard-codes
// that 1 in reshape targets, in constants and in Expand shapes; these functions say what
// each of them becomes when the batch is N. With batch_was_fixed = false they only
// resolve what ONNX itself defines (0 copies, -1 infers), symbolically.
#pragma once

#include <string_view>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

// The shape an ONNX Reshape gives: `target` is its literal list, 0 copies the input's
// dimension (unless allow_zero), one -1 is inferred. If the batch was fixed, the axis that
// must grow is the one whose block of elements is one row of the input:
// [N, 512, 1, 1] -> [1, -1] gives [N, 512]; [197, N, 768] -> [197, 12, 64] gives [197, 12N, 64].
Dims reshape_target(const Dims& input, const Dims& target, bool allow_zero, bool batch_was_fixed,
                    std::string_view where);

// A shape, and where rows lie in a dimension that merges them with something else: usually the
// row is the slower index (12N: n * 12 + head), with rows_inner the faster one (65N: token * N + n).
struct RowLayout {
  Dims shape;
  bool rows_inner = false;
};

// The same, keeping track of that: [65, N, 4, 8] -> [65, 32] gives [65N, 32] with rows_inner, because
// features stay together, and from there -> [65, 1, 32] gives [65, N, 32].
RowLayout reshape_rows(const RowLayout& input, const Dims& target, bool allow_zero, bool batch_was_fixed,
                       std::string_view where);

// RowLayout::rows_inner of a value, from the reshape that merged its rows.
bool rows_inner(const Graph& graph, Value value);

// For Concat along `axis`: repeats parts made for one row (a class token [1, 1, 768]) for every
// row where another part grows ([N, 196, 768]). Does nothing unless the batch was fixed.
std::vector<Value> align_batch(Builder& b, std::vector<Value> parts, int64_t axis, bool batch_was_fixed);

// The shape of an ONNX Expand: both-way broadcasting, in which a hard-coded 1 grows with the
// input, and so does a 12 where the input has 12N if the batch was fixed.
Dims expand_target(const Dims& input, const Dims& target, bool batch_was_fixed, std::string_view where);

}  // namespace ascribe::core
