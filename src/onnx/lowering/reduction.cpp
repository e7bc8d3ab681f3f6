// ReduceSum, ReduceMean, ... : first a function of the elements, then the core reduction,
// then a function of the result. Axes are an attribute or, in later opsets, an operand;
// none means all of them, or none at all with noop_with_empty_axes.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_reduction {
namespace {

std::vector<int64_t> reduced_axes(const NodeContext& c, int64_t rank) {
  const auto axes = integers_of(c, "axes", 1);
  if (axes && !axes->empty()) return normal_axes(c, *axes, rank);
  return c.integer("noop_with_empty_axes", 0) != 0 ? std::vector<int64_t>{} : axes_from(0, rank);
}

Value reduce(NodeContext& c, std::string_view op, Value x) {
  const auto axes = reduced_axes(c, c.b().rank(x));
  return axes.empty() ? x : c.b().reduce(op, x, axes, c.integer("keepdims", 1) != 0);
}

template <Literal Name>
void lower_reduction(NodeContext& c) {
  c.out(0, reduce(c, Name.text, c.in(0)));
}

// Booleans, allowed since opset 20, go through integers.
template <Literal Name>
void lower_selecting_reduction(NodeContext& c) {
  Builder& b = c.b();
  const Kind kind = b.kind(c.in(0));
  const Value x = kind == Kind::boolean ? b.cast(c.in(0), Kind::integer) : c.in(0);
  c.out(0, b.cast(reduce(c, Name.text, x), kind));
}

Value square(Builder& b, Value x) { return b.mul(x, x); }

const RegisterLowering reduce_sum("ReduceSum", lower_reduction<"reduce_sum">);
const RegisterLowering reduce_mean("ReduceMean", lower_reduction<"reduce_mean">);
const RegisterLowering reduce_prod("ReduceProd", lower_reduction<"reduce_prod">);
const RegisterLowering reduce_max("ReduceMax", lower_selecting_reduction<"reduce_max">);
const RegisterLowering reduce_min("ReduceMin", lower_selecting_reduction<"reduce_min">);

const RegisterLowering reduce_l1("ReduceL1",
                                 [](NodeContext& c) { c.out(0, reduce(c, "reduce_sum", c.b().op("abs", {c.in(0)}))); });
const RegisterLowering reduce_l2("ReduceL2", [](NodeContext& c) {
  c.out(0, c.b().op("sqrt", {reduce(c, "reduce_sum", square(c.b(), c.in(0)))}));
});
const RegisterLowering reduce_sum_square("ReduceSumSquare", [](NodeContext& c) {
  c.out(0, reduce(c, "reduce_sum", square(c.b(), c.in(0))));
});
const RegisterLowering reduce_log_sum("ReduceLogSum", [](NodeContext& c) {
  c.out(0, c.b().op("log", {reduce(c, "reduce_sum", c.in(0))}));
});
const RegisterLowering reduce_log_sum_exp("ReduceLogSumExp", lower_reduction<"reduce_log_sum_exp">);

}  // namespace
}  // namespace ascribe::core::lowering_reduction
