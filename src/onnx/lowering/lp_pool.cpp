// LpPool and GlobalLpPool: (sum over the window of |x|^p)^(1/p). The sum is an average pool
// that counts its padding, times the size of the window.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_lp_pool {
namespace {

Value power(Builder& b, Value x, double p) {
  if (p == 1) return b.op("abs", {x});
  if (p == 2) return b.mul(x, x);
  return b.op("pow", {b.op("abs", {x}), b.scalar(p)});
}

Value root(Builder& b, Value x, double p) {
  if (p == 1) return x;
  return p == 2 ? b.op("sqrt", {x}) : b.op("pow", {x, b.scalar(1 / p)});
}

double norm_order(const NodeContext& c) {
  const int64_t p = c.integer("p", 2);
  if (p < 1) c.refuse("p is {}; expected at least 1", p);
  return static_cast<double>(p);
}

// With ceil_mode, the padding that the last, incomplete window needs; it must still start in the input.
void extend_to_last_window(Window& window, const std::vector<int64_t>& sizes) {
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t begin = window.pads[axis];
    int64_t& end = window.pads[axis + window.rank()];
    const int64_t rest = sizes[axis] + begin + end - window.extent(axis), stride = window.strides[axis];
    if (rest < 0 || rest % stride == 0) continue;
    const int64_t last_start = (rest / stride + 1) * stride;
    if (last_start < sizes[axis] + begin) end += last_start - rest;
  }
}

void lower_lp_pool(NodeContext& c) {
  Builder& b = c.b();
  const double p = norm_order(c);
  Window window = padded_window(c, b.shape(c.in(0)), {});
  if (c.integer("ceil_mode", 0) != 0) extend_to_last_window(window, spatial_sizes(c, b.shape(c.in(0))));
  const Value mean = b.op("average_pool", {power(b, c.in(0), p)},
                          {{"kernel", ints(window.kernel)},
                           {"strides", ints(window.strides)},
                           {"pads", ints(window.pads)},
                           {"dilations", ints(window.dilations)},
                           {"ceil_mode", ints({0})},
                           {"count_include_pad", ints({1})}});
  const auto count = static_cast<double>(element_count(window.kernel, c.where()));
  c.out(0, root(b, b.mul(mean, count), p));
}

void lower_global_lp_pool(NodeContext& c) {
  Builder& b = c.b();
  const double p = norm_order(c);
  const int64_t rank = b.rank(c.in(0));
  if (rank < 3) c.refuse("the input has rank {}; expected [N, C, spatial...]", rank);
  c.out(0, root(b, b.reduce("reduce_sum", power(b, c.in(0), p), axes_from(2, rank), true), p));
}

const RegisterLowering lp_pool({"LpPool", 22, "auto_pad ceil_mode:18 dilations:18 kernel_shape p pads strides"},
                               lower_lp_pool);
const RegisterLowering global_lp_pool({"GlobalLpPool", 22, "p"}, lower_global_lp_pool);

}  // namespace
}  // namespace ascribe::core::lowering_lp_pool
