// ReverseSequence: y[t] = x[len - 1 - t] for t < len, x[t] after, each row with its own len.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_reverse_sequence {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const int64_t rank = b.rank(c.in(0));
  const int64_t row_axis = c.integer("batch_axis", 1), time_axis = c.integer("time_axis", 0);
  const bool rows_first = row_axis == 0 && time_axis == 1, time_first = row_axis == 1 && time_axis == 0;
  if (rank < 2 || (!rows_first && !time_first)) {
    c.refuse("batch_axis and time_axis are {} and {}; expected 0 and 1", row_axis, time_axis);
  }
  auto swap = axes_from(0, rank);
  if (time_first) std::swap(swap[0], swap[1]);
  const Value rows = time_first ? b.transpose(c.in(0), swap) : c.in(0);  // [rows, time, ...]
  const int64_t steps = fixed_size(c, b.shape(rows)[1], "the number of steps");
  table_size(c, {steps});
  const Value time = integer_range(b, steps);
  const Value lengths = unsqueeze(b, c.in(1), {1});
  const Value mirrored = b.sub(b.sub(lengths, b.integer(1)), time);
  const Value source = b.op("where", {b.op("less", {time, lengths}), mirrored, time});
  const Value result = b.op("gather_nd", {rows, unsqueeze(b, source, {2})}, {{"batch_dims", ints({1})}});
  c.out(0, time_first ? b.transpose(result, swap) : result);
}

const RegisterLowering reverse_sequence({"ReverseSequence", 28, "batch_axis time_axis"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_reverse_sequence
