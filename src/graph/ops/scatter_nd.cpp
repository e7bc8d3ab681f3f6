// x with out[indices[j.., :].., i..] = updates[j.., i..], or combined by the reduction. The last axis
// of the indices holds a coordinate tuple into the leading axes of x.
// Linear for the reductions none and add only.
#include "graph/adjoint.h"
#include "graph/scatter.h"

namespace ascribe::core::op_scatter_nd {
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

// What lies where the updates went.
Value picked(const DerivativeRequest& r, Value x) {
  return r.b.op("gather_nd", {x, r.inputs[1]}, {{"batch_dims", ints({0})}});
}

// Which updates stay, for reduction none: each tuple leaves its number, the last of them is found again.
Value stays(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Dims x = b.shape(r.inputs[0]), tuples = b.shape(r.inputs[1]);
  const Dims indexed(x.begin(), x.begin() + tuples.back().fixed);
  const Value own = numbers(b, {tuples.begin(), tuples.end() - 1});
  const Value last = b.op("scatter_nd", {b.expand(b.integer(0), indexed), r.inputs[1], own}, r.attributes);
  Dims spread(tuples.begin(), tuples.end() - 1);
  spread.resize(b.rank(r.inputs[2]), 1);
  return b.reshape(b.op("equal", {picked(r, last), own}), spread);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const bool replaces = scatter_rule(r.attributes) == ScatterRule::none;
  if (r.operand == 2) {
    const Value mine = picked(r, gradient);
    return replaces ? b.op("where", {stays(r), mine, b.scalar(0)}) : mine;
  }
  if (!replaces) return gradient;
  return b.op("scatter_nd", {gradient, r.inputs[1], zeros(b, b.shape(r.inputs[2]))}, r.attributes);
}

void more_traits(Traits& traits, const Attributes& attributes) {
  traits.moves = scatter_rule(attributes) == ScatterRule::none;
}

const RegisterOp scatter_nd({.name = "scatter_nd",
                             .op_class = OpClass::linear,
                             .traits = {.sign = Sign::kept},
                             .formula = "x with out[indices[j, :], i] = updates[j, i]",
                             .min_inputs = 3,
                             .max_inputs = 3,
                             .infer = infer,
                             .apply = apply,
                             .adjoint = adjoint,
                             .refusal = scatter_refusal,
                             .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_scatter_nd
