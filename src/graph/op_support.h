// What the files in graph/ops share: axes, broadcasting, loops over broadcast operands,
// and the makers of simple elementwise operations.
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "base/parallel.h"
#include "graph/op.h"

namespace ascribe::core {

inline constexpr int64_t kGrain = 1 << 14;  // elements a thread should get at least

// -1 -> rank - 1; refuses what is out of range.
int64_t normal_axis(int64_t axis, int64_t rank, std::string_view where);

// The common shape of operands by the rules of numpy. N and 1 give N; N and 3 do not fit.
Dims broadcast_shape(const Dims& a, const Dims& b, std::string_view where);
Dims broadcast_shape(const Signature& signature);  // of all inputs

// Strides with which an operand of shape `shape` is read at every index of `output`: 0 on broadcast axes.
std::vector<int64_t> broadcast_strides(std::span<const int64_t> shape, std::span<const int64_t> output);

// Calls f(flat output index, offset into operand 0, offset into operand 1, ...) for every
// output index of [begin, end), in order, without divisions in the inner loop.
template <size_t Count, class F>
void for_each_broadcast(std::span<const int64_t> output, const std::array<std::vector<int64_t>, Count>& strides,
                        int64_t begin, int64_t end, F&& f) {
  const size_t rank = output.size();
  std::vector<int64_t> index(rank, 0);
  std::array<int64_t, Count> offset{};
  int64_t rest = begin;
  for (size_t axis = rank; axis-- > 0;) {
    index[axis] = rest % output[axis];
    rest /= output[axis];
    for (size_t k = 0; k < Count; ++k) offset[k] += index[axis] * strides[k][axis];
  }
  for (int64_t flat = begin; flat < end; ++flat) {
    std::apply([&](auto... offsets) { f(flat, offsets...); }, offset);
    for (size_t axis = rank; axis-- > 0;) {
      for (size_t k = 0; k < Count; ++k) offset[k] += strides[k][axis];
      if (++index[axis] < output[axis]) break;
      index[axis] = 0;
      for (size_t k = 0; k < Count; ++k) offset[k] -= output[axis] * strides[k][axis];
    }
  }
}

// out[i] = f(a[i], b[i]) with broadcasting, In and Out the element types.
template <class In, class Out, class F>
void apply_binary(const Evaluation& e, F f) {
  const auto a = e.inputs[0].data<const In>();
  const auto b = e.inputs[1].data<const In>();
  const auto out = e.output.data<Out>();
  const int64_t count = e.output.size();
  if (a.size() == out.size() && b.size() == out.size()) {
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) out[i] = f(a[i], b[i]);
    });
    return;
  }
  const std::array strides = {broadcast_strides(e.inputs[0].shape, e.output.shape),
                              broadcast_strides(e.inputs[1].shape, e.output.shape)};
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for_each_broadcast(e.output.shape, strides, begin, end, [&](int64_t i, int64_t ia, int64_t ib) {
      out[static_cast<size_t>(i)] = f(a[static_cast<size_t>(ia)], b[static_cast<size_t>(ib)]);
    });
  });
}

// out[i] = f(x[i]).
template <class In, class Out, class F>
void apply_unary(const Evaluation& e, F f) {
  const auto x = e.inputs[0].data<const In>();
  const auto out = e.output.data<Out>();
  parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) out[i] = f(x[i]);
  });
}

// Type rules that many operations share.
Type infer_same(const Signature& signature);              // the type of operand 0
Type infer_same_real(const Signature& signature);         // ... which must be real
Type infer_same_number(const Signature& signature);       // ... which must not be boolean
Type infer_broadcast(const Signature& signature);         // broadcast shape, common kind
Type infer_broadcast_real(const Signature& signature);    // ... which must be real
Type infer_broadcast_number(const Signature& signature);  // ... which must not be boolean
Type infer_comparison(const Signature& signature);        // broadcast shape, boolean

// Refuse operands of the wrong kind.
void expect_kind(const Signature& signature, size_t input, Kind kind);
void expect_number(const Signature& signature, size_t input);  // real or integer

// The attribute "axis", which must be an axis of the operand.
int64_t axis_of(const Signature& signature, size_t input = 0);

// A tensor seen along one axis: element (o, k, i) lies at (o * size + k) * inner + i.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;
};
AxisView along(std::span<const int64_t> shape, int64_t axis);

// A data-dependent index, counted from the end if negative; refuses what is out of range.
int64_t checked_index(int64_t index, int64_t size, std::string_view op);
// ... and a tuple of them, as an offset in cells of a tensor of this shape.
int64_t tuple_offset(std::span<const int64_t> indices, std::span<const int64_t> shape, std::string_view op);

// For operands (x, indices) of the same rank: refuses indices that outgrow x on an axis other than `axis`.
void expect_elements_fit(const Signature& signature, int64_t axis);
// For indices that hold coordinate tuples along their last axis: the fixed size of a tuple,
// which indexes the axes of x from `first_axis` on.
int64_t expect_tuple(const Signature& signature, int64_t first_axis);

// Calls f with float{} or double{}; the operands are real.
template <class F>
void visit_real(DType dtype, F&& f) {
  if (dtype == DType::f32) f(float{});
  else {
    require(dtype == DType::f64, "op", "expected a real operand");
    f(double{});
  }
}
// ... or int64_t{}: arithmetic that integers have too.
template <class F>
void visit_number(DType dtype, F&& f) {
  if (dtype == DType::i64) f(int64_t{});
  else visit_real(dtype, f);
}

// f(a, b) where integers wrap around: signed overflow is undefined in C++. For std::plus, minus and multiplies.
template <class F, class T>
T wrapping(F f, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(f(static_cast<std::make_unsigned_t<T>>(a), static_cast<std::make_unsigned_t<T>>(b)));
  } else {
    return f(a, b);
  }
}

// A real function of one variable, given as a stateless generic lambda. It is pointwise; `traits` says what else.
template <class F>
Op unary_real_op(std::string name, OpClass op_class, std::string formula, F, Traits traits = {}) {
  static_assert(std::is_empty_v<F>, "the function must not capture");
  Op op;
  op.name = std::move(name);
  op.op_class = op_class;
  op.traits = traits;
  op.traits.pointwise = true;
  op.formula = std::move(formula);
  op.infer = infer_same_real;
  op.apply = [](const Evaluation& e) {
    visit_real(e.output.dtype, [&]<class T>(T) { apply_unary<T, T>(e, [](T x) { return F{}(x); }); });
  };
  return op;
}

// The same on reals and integers.
template <class F>
Op unary_number_op(std::string name, OpClass op_class, std::string formula, F f, Traits traits = {}) {
  Op op = unary_real_op(std::move(name), op_class, std::move(formula), f, traits);
  op.infer = infer_same_number;
  op.apply = [](const Evaluation& e) {
    visit_number(e.output.dtype, [&]<class T>(T) { apply_unary<T, T>(e, [](T x) { return F{}(x); }); });
  };
  return op;
}

// The operation with its derivative, as nodes.
inline Op with_derivative(Op op, Value (*derivative)(const DerivativeRequest&)) {
  op.derivative = derivative;
  return op;
}

// A linear or bilinear operation with its adjoint.
inline Op with_adjoint(Op op, Value (*adjoint)(const DerivativeRequest&, Value)) {
  op.adjoint = adjoint;
  return op;
}

// A selection with the same value from operations whose choices are integers or booleans.
inline Op with_choice(Op op, Value (*lower)(Builder&, std::span<const Value>, const Attributes&)) {
  op.op_class = OpClass::selection;
  op.lower = lower;
  return op;
}

// The operation as a composite: with the same value from operations of the other classes.
inline Op with_lowering(Op op, Value (*lower)(Builder&, std::span<const Value>, const Attributes&)) {
  op.op_class = OpClass::composite;
  op.lower = lower;
  return op;
}

// A function of two variables with broadcasting, on reals and integers. It is pointwise; `traits` says what else.
template <class F>
Op binary_number_op(std::string name, OpClass op_class, std::string formula, F, Traits traits = {}) {
  static_assert(std::is_empty_v<F>, "the function must not capture");
  Op op;
  op.name = std::move(name);
  op.op_class = op_class;
  op.traits = traits;
  op.traits.pointwise = true;
  op.formula = std::move(formula);
  op.min_inputs = op.max_inputs = 2;
  op.infer = infer_broadcast_number;
  op.apply = [](const Evaluation& e) {
    visit_number(e.output.dtype, [&]<class T>(T) { apply_binary<T, T>(e, [](T a, T b) { return F{}(a, b); }); });
  };
  return op;
}

}  // namespace ascribe::core
