// Concat and Split.
#include "onnx/batch.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_concat {
namespace {

void lower_concat(NodeContext& c) {
  Builder& b = c.b();
  std::vector<Value> parts;
  for (size_t i = 0; i < c.input_count(); ++i) parts.push_back(c.in(i));
  if (parts.empty()) c.refuse("there is nothing to concatenate");
  const int64_t axis = axis_attribute(c, 1, b.rank(parts[0]));  // 1 was the default before opset 4
  parts = align_batch(b, std::move(parts), axis, c.batch_was_fixed());
  c.out(0, parts.size() == 1 ? parts[0] : b.concat(std::move(parts), axis));
}

// Equal parts; with num_outputs (opset 18) the last may be smaller.
Dims equal_parts(const NodeContext& c, Dim whole, int64_t count) {
  if (!whole.is_fixed()) return Dims(count, divide(whole, count, c.where()));
  const bool uneven = c.has_attribute("num_outputs");
  const int64_t part = uneven ? (whole.fixed + count - 1) / count : divide(whole, count, c.where()).fixed;
  Dims sizes(count, part);
  sizes.back() = whole.fixed - part * (count - 1);
  if (sizes.back().fixed < 0) c.refuse("an axis of size {} cannot be split into {} parts", whole.fixed, count);
  return sizes;
}

Dims part_sizes(const NodeContext& c, Dim whole) {
  Dims sizes;
  const auto count = static_cast<int64_t>(c.output_count());
  if (c.has_attribute("split")) sizes = to_dims(c.integers("split", {}));
  else if (c.has(1)) sizes = c.known_integers(1, "split");
  else if (count > 0) return equal_parts(c, whole, count);
  if (static_cast<int64_t>(sizes.size()) != count) c.refuse("split has {} entries for {} outputs", sizes.size(), count);
  return sizes;
}

void lower_split(NodeContext& c) {
  Builder& b = c.b();
  const int64_t axis = axis_attribute(c, 0, b.rank(c.in(0)));
  const Dim whole = b.shape(c.in(0))[axis];
  const Dims sizes = part_sizes(c, whole);
  Dim start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].at(1) < 0) c.refuse("a part has size {}", to_string(sizes[i]));
    if (c.wants(i)) c.out(i, b.slice(c.in(0), axis, start, sizes[i]));
    start = start + sizes[i];
  }
  if (start != whole) c.refuse("the parts make {}; expected {}", to_string(start), to_string(whole));
}

const RegisterLowering concat({"Concat", 13, "axis"}, lower_concat);
const RegisterLowering split({"Split", 18, "axis num_outputs:18 split"}, lower_split);

}  // namespace
}  // namespace ascribe::core::lowering_concat
