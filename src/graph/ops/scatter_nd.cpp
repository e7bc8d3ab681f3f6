// x with out[indices[j.., :].., i..] = updates[j.., i..], or combined by the reduction. The last axis
// of the indices holds a coordinate tuple into the leading axes of x.
// Linear for the reductions none and add only.
#include "graph/scatter.h"

namespace ascribe {
namespace {

Type infer(const Signature& s) {
  expect_scatter(s);
  const int64_t tuple = expect_tuple(s, 0);
  Dims expected(s.shape(1).begin(), s.shape(1).end() - 1);
  expected.insert(expected.end(), s.shape(0).begin() + tuple, s.shape(0).end());
  if (s.shape(2) != expected) {
    s.refuse("the updates do not fit; got {}; expected {}", to_string(s.shape(2)), to_string(expected));
  }
  return s.inputs[0];
}

// Tuples may repeat, so each thread takes all updates of a range of inner elements.
void apply(const Evaluation& e) {
  copy_operand(e);
  if (e.inputs[2].size() == 0) return;
  const std::span<const int64_t> shape = e.output.shape;
  const int64_t tuple = e.inputs[1].shape.back();
  const int64_t inner = element_count(shape.subspan(tuple));
  const auto indices = e.inputs[1].data<const int64_t>();
  const ScatterRule rule = scatter_rule(e.attributes);
  std::vector<int64_t> targets;
  for (int64_t at = 0; at < std::ssize(indices); at += tuple) {
    targets.push_back(tuple_offset(indices.subspan(at, tuple), shape.first(tuple), "scatter_nd") * inner);
  }
  visit(e.output.dtype, [&]<class T>(T) {
    const auto updates = e.inputs[2].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(inner, kGrain / std::ssize(targets), [&](int64_t begin, int64_t end) {
      for (int64_t j = 0; j < std::ssize(targets); ++j) {
        for (int64_t i = begin; i < end; ++i) {
          T& target = out[targets[j] + i];
          target = combine(rule, target, updates[j * inner + i]);
        }
      }
    });
  });
}

const RegisterOp scatter_nd({.name = "scatter_nd",
                             .op_class = OpClass::linear,
                             .formula = "x with out[indices[j, :], i] = updates[j, i]",
                             .min_inputs = 3,
                             .max_inputs = 3,
                             .infer = infer,
                             .apply = apply});

}  // namespace
}  // namespace ascribe
