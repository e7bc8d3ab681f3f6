// MaxPool, AveragePool and the global poolings.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_pool {
namespace {

Attributes pool_attributes(const NodeContext& c, const Window& window) {
  const int64_t ceil_mode = c.integer("ceil_mode", 0) != 0;
  return {{"kernel", ints(window.kernel)},
          {"strides", ints(window.strides)},
          {"pads", ints(window.pads)},
          {"dilations", ints(window.dilations)},
          {"ceil_mode", ints({ceil_mode})}};
}

void lower_max_pool(NodeContext& c) {
  Builder& b = c.b();
  const Value x = b.cast(c.in(0), Kind::real);  // bytes are exact in any precision
  Attributes attributes = pool_attributes(c, padded_window(c, b.shape(x), {}));
  if (c.wants(0)) c.out(0, b.cast(b.op("max_pool", {x}, attributes), b.kind(c.in(0))));
  if (!c.wants(1)) return;
  const int64_t storage_order = c.integer("storage_order", 0) != 0;
  attributes.set("storage_order", ints({storage_order}));
  c.out(1, b.op("max_pool_indices", {x}, attributes));
}

void lower_average_pool(NodeContext& c) {
  Builder& b = c.b();
  Attributes attributes = pool_attributes(c, padded_window(c, b.shape(c.in(0)), {}));
  const int64_t include = c.integer("count_include_pad", 0) != 0;
  attributes.set("count_include_pad", ints({include}));
  c.out(0, b.op("average_pool", {c.in(0)}, attributes));
}

template <Literal Name>
void lower_global(NodeContext& c) {
  const int64_t rank = c.b().rank(c.in(0));
  if (rank < 3) c.refuse("the input has rank {}; expected [N, C, spatial...]", rank);
  c.out(0, c.b().reduce(Name.text, c.in(0), axes_from(2, rank), true));
}

const RegisterLowering max_pool({"MaxPool", 22,
                                 "auto_pad ceil_mode:10 dilations:10 kernel_shape pads storage_order:8 strides"},
                                lower_max_pool);
const RegisterLowering average_pool(
    {"AveragePool", 22, "auto_pad ceil_mode:10 count_include_pad:7 dilations:19 kernel_shape pads strides"},
    lower_average_pool);
const RegisterLowering global_average_pool({"GlobalAveragePool", 22}, lower_global<"reduce_mean">);
const RegisterLowering global_max_pool({"GlobalMaxPool", 22}, lower_global<"reduce_max">);

}  // namespace
}  // namespace ascribe::core::lowering_pool
