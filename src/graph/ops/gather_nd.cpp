// out[b.., j.., i..] = x[b.., indices[b.., j.., :].., i..]: the last axis of the indices holds a
// coordinate tuple into the axes of x that follow the batch_dims leading ones.
#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_gather_nd {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 1, Kind::integer);
  const int64_t batch_dims = s.attributes.integer("batch_dims");
  if (batch_dims < 0 || batch_dims >= std::min(s.rank(0), s.rank(1))) {
    s.refuse("batch_dims is out of range; got {} for shapes {} and {}", batch_dims, to_string(s.shape(0)),
             to_string(s.shape(1)));
  }
  if (!std::equal(s.shape(0).begin(), s.shape(0).begin() + batch_dims, s.shape(1).begin())) {
    s.refuse("the leading {} axes differ; got {} and {}", batch_dims, to_string(s.shape(0)), to_string(s.shape(1)));
  }
  const int64_t tuple = expect_tuple(s, batch_dims);
  Dims shape(s.shape(1).begin(), s.shape(1).end() - 1);
  shape.insert(shape.end(), s.shape(0).begin() + batch_dims + tuple, s.shape(0).end());
  return {s.inputs[0].kind, shape};
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const std::span<const int64_t> shape = e.inputs[0].shape;
  const int64_t batch_dims = e.attributes.integer("batch_dims");
  const int64_t tuple = e.inputs[1].shape.back();
  const int64_t batches = element_count(shape.first(batch_dims));
  const int64_t batch_size = element_count(shape.subspan(batch_dims));
  const auto indexed = shape.subspan(batch_dims, tuple);
  const int64_t inner = element_count(shape.subspan(batch_dims + tuple));
  const auto indices = e.inputs[1].data<const int64_t>();
  const int64_t tuples = std::ssize(indices) / tuple;
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(tuples, kGrain / inner, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        const int64_t batch = j / (tuples / batches);
        const int64_t cell = tuple_offset(indices.subspan(j * tuple, tuple), indexed, "gather_nd");
        std::copy_n(x.begin() + batch * batch_size + cell * inner, inner, out.begin() + j * inner);
      }
    });
  });
}

// The tuples with the coordinates of their batch in front.
Value whole_tuples(Builder& b, Value indices, int64_t batch_dims) {
  if (batch_dims == 0) return indices;
  Dims single = b.shape(indices);
  single.back() = 1;
  std::vector<Value> parts;
  for (int64_t axis = 0; axis < batch_dims; ++axis) parts.push_back(coordinates(b, single, axis));
  parts.push_back(indices);
  return b.concat(parts, b.rank(indices) - 1);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Value tuples = whole_tuples(r.b, r.inputs[1], r.attributes.integer("batch_dims"));
  return r.b.op("scatter_nd", {zeros(r.b, r.b.shape(r.inputs[0])), tuples, gradient}, {{"reduction", "add"}});
}

const RegisterOp gather_nd({.name = "gather_nd",
                            .op_class = OpClass::linear,
                            .traits = {.moves = true, .sign = Sign::kept},
                            .formula = "out[b, j, i] = x[b, indices[b, j, :], i]",
                            .min_inputs = 2,
                            .max_inputs = 2,
                            .infer = infer,
                            .apply = apply,
                            .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_gather_nd
