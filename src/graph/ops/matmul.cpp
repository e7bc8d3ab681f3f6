// out[..., i, j] = sum over k of a[..., i, k] b[..., k, j], as numpy does it: leading axes
// broadcast, a of rank 1 is a row and b of rank 1 a column, which the result lacks.
// transpose_a and transpose_b swap the last two axes of an operand of rank 2 or more.
// Sums are taken in double, in the order of k (integers wrap around).
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_matmul {
namespace {

// An operand as a stack of matrices. Extent is Dim or int64_t.
template <class Extent>
struct Matrices {
  std::vector<Extent> stack;
  Extent rows, columns;
};

template <class Extent>
Matrices<Extent> matrices(const std::vector<Extent>& shape, bool is_left, bool transposed) {
  if (shape.size() == 1) return is_left ? Matrices<Extent>{{}, 1, shape[0]} : Matrices<Extent>{{}, shape[0], 1};
  Matrices<Extent> m{{shape.begin(), shape.end() - 2}, shape[shape.size() - 2], shape.back()};
  if (transposed) std::swap(m.rows, m.columns);
  return m;
}

Type infer(const Signature& s) {
  const std::array transposed = {s.attributes.flag("transpose_a"), s.attributes.flag("transpose_b")};
  for (size_t i = 0; i < 2; ++i) {
    if (s.rank(i) < 1 || (s.rank(i) == 1 && transposed[i])) {
      s.refuse("operand {} is not a matrix; got {}", i, to_string(s.shape(i)));
    }
  }
  if (s.inputs[0].kind != s.inputs[1].kind || s.inputs[0].kind == Kind::boolean) {
    s.refuse("expected operands of one kind, real or integer; got {} and {}", to_string(s.inputs[0]),
             to_string(s.inputs[1]));
  }
  const auto a = matrices(s.shape(0), true, transposed[0]);
  const auto b = matrices(s.shape(1), false, transposed[1]);
  if (a.columns != b.rows) {
    s.refuse("the inner sizes differ; got {} of {} and {} of {}", to_string(a.columns), to_string(s.shape(0)),
             to_string(b.rows), to_string(s.shape(1)));
  }
  Dims shape = broadcast_shape(a.stack, b.stack, s.where);
  if (s.rank(0) > 1) shape.push_back(a.rows);
  if (s.rank(1) > 1) shape.push_back(b.columns);
  return {s.inputs[0].kind, shape};
}

// The matrices of a stack transposed, row-major.
template <class T>
std::vector<T> transposed_copy(std::span<const T> from, int64_t rows, int64_t columns) {
  std::vector<T> to(from.size());
  const int64_t matrix = rows * columns;
  parallel_for(static_cast<int64_t>(from.size()), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t within = i % matrix;
      to[i] = from[i - within + within % rows * columns + within / rows];
    }
  });
  return to;
}

constexpr int64_t kBlock = 256;  // columns whose sums are kept at a time
constexpr int64_t kProductsPerChunk = int64_t{1} << 18;

// One row of `width` columns at most kBlock: sums over k with contiguous rows of b.
template <class T>
void multiply_row(const T* a, const T* b, T* out, int64_t inner, int64_t columns, int64_t width) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  std::array<Sum, kBlock> sums{};
  for (int64_t k = 0; k < inner; ++k) {
    const auto factor = static_cast<Sum>(a[k]);
    for (int64_t j = 0; j < width; ++j) sums[j] += factor * static_cast<Sum>(b[k * columns + j]);
  }
  for (int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(sums[j]);
}

template <class T>
void multiply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const bool transpose_a = e.attributes.flag("transpose_a"), transpose_b = e.attributes.flag("transpose_b");
  const auto left = matrices(e.inputs[0].shape, true, transpose_a);
  const auto right = matrices(e.inputs[1].shape, false, transpose_b);
  const int64_t rows = left.rows, inner = left.columns, columns = right.columns;
  Shape stack = e.output.shape;
  stack.resize(std::max(left.stack.size(), right.stack.size()));
  const std::array strides = {broadcast_strides(left.stack, stack), broadcast_strides(right.stack, stack)};
  std::vector<std::array<int64_t, 2>> operands;  // which matrices meet
  for_each_broadcast(stack, strides, 0, element_count(stack), [&](int64_t, int64_t ia, int64_t ib) {
    operands.push_back({ia, ib});
  });

  std::span<const T> a = e.inputs[0].data<const T>(), b = e.inputs[1].data<const T>();
  std::vector<T> a_copy, b_copy;
  if (transpose_a) a = a_copy = transposed_copy(a, inner, rows);
  if (transpose_b) b = b_copy = transposed_copy(b, columns, inner);
  const auto out = e.output.data<T>();
  const int64_t blocks = (columns + kBlock - 1) / kBlock;
  const int64_t grain = kProductsPerChunk / std::max<int64_t>(1, inner * std::min(columns, kBlock));
  // Rows run fastest: they share a block of b.
  parallel_for(static_cast<int64_t>(operands.size()) * blocks * rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % rows, column = i / rows % blocks * kBlock, matrix = i / rows / blocks;
      multiply_row(a.data() + (operands[matrix][0] * rows + row) * inner,
                   b.data() + operands[matrix][1] * inner * columns + column,
                   out.data() + (matrix * rows + row) * columns + column, inner, columns,
                   std::min(kBlock, columns - column));
    }
  });
}

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) { multiply<T>(e); });
}

// The product with respect to a, as it is stored, is G B^T or its transpose; with respect to b, A^T G.
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const bool transpose_a = r.attributes.flag("transpose_a"), transpose_b = r.attributes.flag("transpose_b");
  const bool is_row = b.rank(r.inputs[0]) == 1, is_column = b.rank(r.inputs[1]) == 1;
  const auto as_matrix = [&](Value x, bool missing, int64_t from_end) {
    Dims shape = b.shape(x);
    if (missing) shape.insert(shape.end() - from_end, 1);
    return missing ? b.reshape(x, shape) : x;
  };
  const Value left = as_matrix(r.inputs[0], is_row, 1), right = as_matrix(r.inputs[1], is_column, 0);
  gradient = as_matrix(gradient, is_column, 0);
  gradient = as_matrix(gradient, is_row, 1);
  Value result;
  if (r.operand == 0) {
    result =
        transpose_a ? b.matmul(right, gradient, transpose_b, true) : b.matmul(gradient, right, false, !transpose_b);
  } else {
    result = transpose_b ? b.matmul(gradient, left, true, transpose_a) : b.matmul(left, gradient, !transpose_a, false);
  }
  if (!(r.operand == 0 ? is_row : is_column)) return result;
  Dims shape = b.shape(result);
  shape.erase(shape.end() - (r.operand == 0 ? 2 : 1));
  return b.reshape(result, shape);
}

const RegisterOp matmul({.name = "matmul",
                         .op_class = OpClass::bilinear,
                         .traits = {.sign = Sign::kept, .layer = LayerKind::dense},
                         .formula = "sum over k of a[..., i, k] b[..., k, j]",
                         .min_inputs = 2,
                         .max_inputs = 2,
                         .infer = infer,
                         .apply = apply,
                         .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_matmul
