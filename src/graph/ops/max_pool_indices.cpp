// Where max_pool found the largest elements: flat indices into x [rows, channels,
// spatial...]. With storage_order 1 the spatial part is counted in column-major order.
#include "graph/op_support.h"
#include "graph/window.h"

namespace ascribe::core::op_max_pool_indices {
namespace {

Type infer(const Signature& s) {
  infer_same_number(s);
  const int64_t order = s.attributes.integer("storage_order");
  if (order != 0 && order != 1) s.refuse("storage_order must be 0 or 1; got {}", order);
  return {Kind::integer, infer_pool(s).shape};
}

int64_t column_major(const Window& window, int64_t index) {
  int64_t result = 0;
  for (size_t i = window.size(); i-- > 0; index /= window[i].input) {
    int64_t stride = 1;
    for (size_t before = 0; before < i; ++before) stride *= window[before].input;
    result += index % window[i].input * stride;
  }
  return result;
}

void apply(const Evaluation& e) {
  const Window window = pool_window(e.attributes, e.inputs[0].shape, "max_pool_indices");
  const bool by_columns = e.attributes.flag("storage_order");
  const int64_t plane_size = element_count(std::span(e.inputs[0].shape).subspan(2));
  const int64_t planes = e.inputs[0].shape[0] * e.inputs[0].shape[1];
  const auto out = e.output.data<int64_t>();
  visit_number(e.inputs[0].dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    for_each_window(window, planes, [&](int64_t i, int64_t plane, std::span<const int64_t> position) {
      const int64_t index = largest_in_window(window, position, &x[plane * plane_size]);
      out[i] = plane * plane_size + (by_columns ? column_major(window, index) : index);
    });
  });
}

const RegisterOp max_pool_indices({.name = "max_pool_indices",
                                   .op_class = OpClass::plumbing,
                                   .traits = {.windowed = true},
                                   .formula = "flat indices of the largest element of each window",
                                   .infer = infer,
                                   .apply = apply});

}  // namespace
}  // namespace ascribe::core::op_max_pool_indices
