// out[.., o, ..] = sum over t of weights[o, t] x[.., indices[o, t], ..] along one axis: every mode
// of Resize, one axis at a time. Linear in x; the weights are meant to be constant.
#include "graph/op_support.h"

namespace ascribe {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  expect_kind(s, 1, Kind::integer);
  expect_kind(s, 2, Kind::real);
  const int64_t axis = axis_of(s);
  if (s.rank(1) != 2 || s.shape(1) != s.shape(2)) {
    s.refuse("indices and weights differ; got {} and {}; expected [out, taps] both", to_string(s.shape(1)),
             to_string(s.shape(2)));
  }
  Dims shape = s.shape(0);
  shape[axis] = s.shape(1)[0];
  return {Kind::real, shape};
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const int64_t axis = e.attributes.integer("axis");
  const AxisView from = along(e.inputs[0].shape, axis);
  const int64_t size = e.output.shape[axis], taps = e.inputs[1].shape[1];
  const auto indices = e.inputs[1].data<const int64_t>();
  std::vector<int64_t> rows;
  for (const int64_t index : indices) rows.push_back(checked_index(index, from.size, "resample") * from.inner);
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto weights = e.inputs[2].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain / std::max<int64_t>(taps, 1), [&](int64_t begin, int64_t end) {
      for (int64_t flat = begin; flat < end; ++flat) {
        const int64_t i = flat % from.inner, o = flat / from.inner % size;
        const int64_t base = flat / from.inner / size * from.size * from.inner + i;
        double sum = 0;
        for (int64_t t = o * taps; t < (o + 1) * taps; ++t) sum += double{weights[t]} * double{x[base + rows[t]]};
        out[flat] = static_cast<T>(sum);
      }
    });
  });
}

const RegisterOp resample({.name = "resample",
                           .op_class = OpClass::linear,
                           .formula = "out[o] = sum_t weights[o, t] x[indices[o, t]] along an axis",
                           .min_inputs = 3,
                           .max_inputs = 3,
                           .infer = infer,
                           .apply = apply});

}  // namespace
}  // namespace ascribe
