// Gather, GatherElements, GatherND and their counterparts ScatterElements (once Scatter), ScatterND.
#include "onnx/batch.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_gather {
namespace {

// Constant places in a row that was flattened (x.as_strided as PyTorch's newer exporter writes it): in a file made for
// one row they are places in that row, so with N rows they are the same places in every one of them.
bool picks_in_flat_row(const NodeContext& c) {
  if (!c.batch_was_fixed() || !c.b().graph().is(c.in(1), "constant")) return false;
  const Dims& shape = c.b().shape(c.in(0));
  return shape.size() == 1 && !shape[0].is_fixed() && shape[0].fixed == 0 && !rows_inner(c.b().graph(), c.in(0));
}

void gather_in_flat_rows(NodeContext& c) {
  Builder& b = c.b();
  const Dim flat = b.shape(c.in(0))[0];
  const Dims places = b.shape(c.in(1));
  const Dims list = {product(places)};
  const Value rows = b.reshape(c.in(0), {kBatch, flat.per_row});
  const Value picked = b.op("gather", {rows, b.reshape(c.in(1), list)}, {{"axis", ints({1})}});
  c.out(0, b.reshape(picked, reshape_target(b.shape(picked), places, false, true, c.where())));
}

template <Literal Name>
void lower_gather(NodeContext& c) {
  if (Name.text == std::string_view("gather") && picks_in_flat_row(c)) return gather_in_flat_rows(c);
  const int64_t axis = axis_attribute(c, 0, c.b().rank(c.in(0)));
  c.out(0, c.b().op(Name.text, {c.in(0), c.in(1)}, {{"axis", ints({axis})}}));
}

void lower_gather_nd(NodeContext& c) {
  c.out(0, c.b().op("gather_nd", {c.in(0), c.in(1)}, {{"batch_dims", ints({c.integer("batch_dims", 0)})}}));
}

std::string reduction(const NodeContext& c) {
  const std::string name = c.text("reduction", "none");
  for (const std::string_view known : {"none", "add", "mul", "min", "max"}) {
    if (name == known) return name;
  }
  c.refuse("reduction is \"{}\"; expected none, add, mul, min or max", name);
}

void lower_scatter_elements(NodeContext& c) {
  const int64_t axis = axis_attribute(c, 0, c.b().rank(c.in(0)));
  c.out(0, c.b().op("scatter_elements", {c.in(0), c.in(1), c.in(2)},
                    {{"axis", ints({axis})}, {"reduction", reduction(c)}}));
}

void lower_scatter_nd(NodeContext& c) {
  c.out(0, c.b().op("scatter_nd", {c.in(0), c.in(1), c.in(2)}, {{"reduction", reduction(c)}}));
}

const RegisterLowering gather({"Gather", 13, "axis"}, lower_gather<"gather">);
const RegisterLowering gather_elements({"GatherElements", 13, "axis"}, lower_gather<"gather_elements">);
const RegisterLowering gather_nd({"GatherND", 13, "batch_dims:12"}, lower_gather_nd);
const RegisterLowering scatter({"Scatter", 11, "axis"}, lower_scatter_elements);
const RegisterLowering scatter_elements({"ScatterElements", 18, "axis reduction:16"}, lower_scatter_elements);
const RegisterLowering scatter_nd({"ScatterND", 18, "reduction:16"}, lower_scatter_nd);

}  // namespace
}  // namespace ascribe::core::lowering_gather
