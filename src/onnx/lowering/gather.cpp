// Gather, GatherElements, GatherND and their counterparts ScatterElements (once Scatter), ScatterND.
#include "onnx/batch.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_gather {
namespace {

// The places of one row among those of several, if every row has the same ones.
std::optional<Tensor> places_of_one_row(const Tensor& places, int64_t rows, int64_t row_size) {
  if (places.rank() == 0 || places.shape()[0] != rows || places.dtype() != DType::i64) return std::nullopt;
  const auto all = places.data<int64_t>();
  const size_t each = all.size() / static_cast<size_t>(rows);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != all[i % each] + static_cast<int64_t>(i / each) * row_size) return std::nullopt;
  }
  Shape shape = places.shape();
  shape[0] = 1;
  return Tensor::of<int64_t>(shape, all.first(each));
}

// Constant places in rows that were flattened (x.as_strided as PyTorch's newer exporter writes it): in a file made for
// one row they are places in that row, so with N rows they are the same places in every one of them. Nothing if they
// are not such places.
std::optional<Tensor> places_in_flat_row(const NodeContext& c) {
  const Graph& graph = c.b().graph();
  const Dims& shape = c.b().shape(c.in(0));
  if (!graph.is(c.in(1), "constant") || shape.size() != 1 || shape[0].is_fixed() || shape[0].fixed != 0) return {};
  const Tensor& places = graph[c.in(1)].constant;
  if (c.file_rows() > 1) return places_of_one_row(places, c.file_rows(), shape[0].per_row);
  if (!c.batch_was_fixed() || rows_inner(graph, c.in(0))) return std::nullopt;
  return places;
}

void gather_in_flat_rows(NodeContext& c, const Tensor& places) {
  Builder& b = c.b();
  const Value rows = b.reshape(c.in(0), {kBatch, b.shape(c.in(0))[0].per_row});
  const Value list = b.constant(places.reshaped({places.size()}));
  const Value picked = b.op("gather", {rows, list}, {{"axis", ints({1})}});
  c.out(0, b.reshape(picked, reshape_target(b.shape(picked), to_dims(places.shape()), false, true, c.where())));
}

template <Literal Name>
void lower_gather(NodeContext& c) {
  if (Name.text == std::string_view("gather")) {
    if (const auto places = places_in_flat_row(c)) return gather_in_flat_rows(c, *places);
  }
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
