#include "methods/readout.h"

#include "tensor/rows.h"

namespace ascribe::core {

namespace {

Dim rows_of(const Builder& b, Value output) { return all_fixed(b.shape(output)) ? Dim(1) : b.shape(output)[0]; }

// A product with weights and a sum rather than a layer: what propagates relevance then hands every number its own
// share.
Value linear(Builder& b, Value output, const Readout& readout) {
  const int64_t size = element_count(readout.row), parts = readout.parts();
  std::vector<Tensor> rows;
  for (const Tensor& weights : readout.weights) rows.push_back(weights.cast(DType::f64).reshaped({1, size}));
  const Value weights = b.constant(stacked_rows(rows).reshaped({1, parts, size}));
  const Value numbers = b.reshape(output, {rows_of(b, output), 1, size});
  return b.reduce("reduce_sum", b.mul(numbers, weights), {2}, false);
}

Value product(Builder& b, Value output, const Readout& readout, const std::vector<int64_t>& elements) {
  const Value numbers = b.reshape(output, {rows_of(b, output), element_count(readout.row)});
  Value result;
  for (const int64_t element : elements) {
    const Value factor = b.slice(numbers, 1, element, 1);
    result = result.valid() ? b.mul(result, factor) : factor;
  }
  return result;
}

Value log_probability(Builder& b, Value output, const Readout& readout, const std::vector<int64_t>& elements) {
  const int64_t tokens = readout.row.back();
  const Value positions = b.reshape(output, {rows_of(b, output), element_count(readout.row) / tokens, tokens});
  Value sum;
  for (const int64_t element : elements) {
    const Value logits = b.slice(positions, 1, element / tokens, 1);
    const Value all = b.op("log_softmax", {logits}, {{"axis", ints({2})}});
    const Value one = b.reshape(b.slice(all, 2, element % tokens, 1), {rows_of(b, output), 1});
    sum = sum.valid() ? b.add(sum, one) : one;
  }
  return sum;
}

}  // namespace

Value append_readout(Builder& b, Value output, const Readout& readout) {
  require(readout.parts() > 0, "readout", "there is nothing to read");
  if (readout.kind == Readout::Kind::linear) return linear(b, output, readout);
  std::vector<Value> parts;
  for (const std::vector<int64_t>& elements : readout.elements) {
    require(!elements.empty(), "readout", "a part reads nothing");
    parts.push_back(readout.kind == Readout::Kind::product ? product(b, output, readout, elements)
                                                           : log_probability(b, output, readout, elements));
  }
  return parts.size() == 1 ? parts[0] : b.concat(parts, 1);
}

}  // namespace ascribe::core
