// ReduceSum, ReduceMean, ... : first a function of the elements, then the core reduction,
// then a function of the result. Axes are an attribute or, in later opsets, an operand;
// none means all of them, or none at all with noop_with_empty_axes.
#include <limits>

#include "graph/reduction.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_reduction {
namespace {

std::vector<int64_t> reduced_axes(const NodeContext& c, int64_t rank) {
  const auto axes = integers_of(c, "axes", 1);
  if (axes && !axes->empty()) return normal_axes(c, *axes, rank);
  return c.integer("noop_with_empty_axes", 0) != 0 ? std::vector<int64_t>{} : axes_from(0, rank);
}

// The whole numbers that an integer type of ONNX holds, as far as 64 bits with a sign can tell them.
std::pair<int64_t, int64_t> integer_range_of(std::string_view type) {
  if (type == "int8") return {INT8_MIN, INT8_MAX};
  if (type == "uint8") return {0, UINT8_MAX};
  if (type == "int16") return {INT16_MIN, INT16_MAX};
  if (type == "uint16") return {0, UINT16_MAX};
  if (type == "int32") return {INT32_MIN, INT32_MAX};
  if (type == "uint32") return {0, UINT32_MAX};
  return {type == "uint64" ? 0 : INT64_MIN, INT64_MAX};
}

Value reduce(NodeContext& c, std::string_view op, Value x) {
  const auto axes = reduced_axes(c, c.b().rank(x));
  return axes.empty() ? x : c.b().reduce(op, x, axes, c.integer("keepdims", 1) != 0);
}

template <Literal Name>
void lower_reduction(NodeContext& c) {
  c.out(0, reduce(c, Name.text, c.in(0)));
}

// The extreme of no elements: infinite where the type allows it, else the bound of the type at its other end.
Value extreme_of_none(NodeContext& c, bool largest) {
  Builder& b = c.b();
  const Kind kind = b.kind(c.in(0));
  const double infinity = std::numeric_limits<double>::infinity();
  if (kind == Kind::real) return b.scalar(largest ? -infinity : infinity);
  if (kind == Kind::boolean) return number(b, kind, largest ? 0 : 1);
  const auto [low, high] = integer_range_of(c.element_type(0));
  return b.integer(largest ? low : high);
}

bool is_over_nothing(const NodeContext& c, const std::vector<int64_t>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return c.b().shape(c.in(0))[axis] == Dim(0); });
}

// Booleans, allowed since opset 20, go through integers.
template <Literal Name>
void lower_selecting_reduction(NodeContext& c) {
  Builder& b = c.b();
  const Kind kind = b.kind(c.in(0));
  const auto axes = reduced_axes(c, b.rank(c.in(0)));
  if (is_over_nothing(c, axes)) {
    Dims shape = b.shape(c.in(0));
    for (const int64_t axis : axes) shape[axis] = 1;
    if (c.integer("keepdims", 1) == 0) shape = without_axes(b.shape(c.in(0)), axes);
    return c.out(0, b.expand(extreme_of_none(c, std::string_view(Name.text) == "reduce_max"), shape));
  }
  const Value x = kind == Kind::boolean ? b.cast(c.in(0), Kind::integer) : c.in(0);
  c.out(0, b.cast(reduce(c, Name.text, x), kind));
}

Value square(Builder& b, Value x) { return b.mul(x, x); }

const RegisterLowering reduce_sum({"ReduceSum", 13, "axes keepdims noop_with_empty_axes:13"},
                                  lower_reduction<"reduce_sum">);
const RegisterLowering reduce_mean({"ReduceMean", 18, "axes keepdims noop_with_empty_axes:18"},
                                   lower_reduction<"reduce_mean">);
const RegisterLowering reduce_prod({"ReduceProd", 18, "axes keepdims noop_with_empty_axes:18"},
                                   lower_reduction<"reduce_prod">);
const RegisterLowering reduce_max({"ReduceMax", 20, "axes keepdims noop_with_empty_axes:18"},
                                  lower_selecting_reduction<"reduce_max">);
const RegisterLowering reduce_min({"ReduceMin", 20, "axes keepdims noop_with_empty_axes:18"},
                                  lower_selecting_reduction<"reduce_min">);

const RegisterLowering reduce_l1({"ReduceL1", 18, "axes keepdims noop_with_empty_axes:18"},
                                 [](NodeContext& c) { c.out(0, reduce(c, "reduce_sum", c.b().op("abs", {c.in(0)}))); });
const RegisterLowering reduce_l2({"ReduceL2", 18, "axes keepdims noop_with_empty_axes:18"}, [](NodeContext& c) {
  c.out(0, c.b().op("sqrt", {reduce(c, "reduce_sum", square(c.b(), c.in(0)))}));
});
const RegisterLowering reduce_sum_square({"ReduceSumSquare", 18, "axes keepdims noop_with_empty_axes:18"},
                                         [](NodeContext& c) {
                                           c.out(0, reduce(c, "reduce_sum", square(c.b(), c.in(0))));
                                         });
const RegisterLowering reduce_log_sum({"ReduceLogSum", 28, "axes keepdims noop_with_empty_axes:18"},
                                      [](NodeContext& c) {
                                        c.out(0, c.b().op("log", {reduce(c, "reduce_sum", c.in(0))}));
                                      });
const RegisterLowering reduce_log_sum_exp({"ReduceLogSumExp", 28, "axes keepdims noop_with_empty_axes:18"},
                                          lower_reduction<"reduce_log_sum_exp">);

}  // namespace
}  // namespace ascribe::core::lowering_reduction
