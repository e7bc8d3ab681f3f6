// LRN: x / (bias + alpha / size * sum of x^2 over `size` neighbouring channels)^beta. The mean
// over the window is an average pool along the channels, padding counted; a window that
// reaches beyond all channels is cut to them.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_lrn {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const Dims shape = b.shape(x);
  const int64_t size = c.integer("size");
  if (shape.size() < 3) c.refuse("the input has shape {}; expected [N, C, spatial...]", to_string(shape));
  if (size < 1) c.refuse("size is {}; expected a positive number", size);
  const int64_t reach = std::max<int64_t>(fixed_size(c, shape[1], "the number of channels") - 1, 0);
  const Dims planes = {shape[0], 1, shape[1], product(Dims(shape.begin() + 2, shape.end()))};
  const int64_t before = std::min((size - 1) / 2, reach), after = std::min(size / 2, reach);
  const int64_t kernel = before + 1 + after;
  const Value mean = b.op("average_pool", {b.reshape(b.mul(x, x), planes)},
                          {{"kernel", ints({kernel, 1})},
                           {"strides", ints({1, 1})},
                           {"pads", ints({before, 0, after, 0})},
                           {"dilations", ints({1, 1})},
                           {"ceil_mode", ints({0})},
                           {"count_include_pad", ints({1})}});
  const double factor = c.real("alpha", 1e-4) * static_cast<double>(kernel) / static_cast<double>(size);
  const Value base = b.add(b.mul(b.reshape(mean, shape), factor), c.real("bias", 1.0));
  c.out(0, b.mul(x, b.op("pow", {base, b.scalar(-c.real("beta", 0.75))})));
}

const RegisterLowering lrn({"LRN", 13, "alpha beta bias size"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_lrn
