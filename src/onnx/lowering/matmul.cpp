// MatMul and Gemm: alpha op(A) op(B) + beta C. The factors go into the constant operands.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_matmul {
namespace {

Value scaled(Builder& b, Value x, double factor) { return factor == 1 ? x : b.mul(x, factor); }

void lower_gemm(NodeContext& c) {
  Builder& b = c.b();
  const Value left = c.in(0);
  Value right = c.in(1);
  if (b.rank(left) != 2 || b.rank(right) != 2) {
    c.refuse("Gemm multiplies matrices; got shapes {} and {}", to_string(b.shape(left)), to_string(b.shape(right)));
  }
  const double alpha = c.real("alpha", 1.0), beta = c.real("beta", 1.0);
  if (b.is_constant(right)) right = scaled(b, right, alpha);
  Value result = b.matmul(left, right, c.integer("transA", 0) != 0, c.integer("transB", 0) != 0);
  if (!b.is_constant(right)) result = scaled(b, result, alpha);
  if (c.has(2) && beta != 0) result = b.add(result, scaled(b, c.in(2), beta));
  c.out(0, result);
}

const RegisterLowering matmul({"MatMul", 13}, [](NodeContext& c) { c.out(0, c.b().matmul(c.in(0), c.in(1))); });
const RegisterLowering gemm({"Gemm", 13, "alpha beta broadcast transA transB"}, lower_gemm);

}  // namespace
}  // namespace ascribe::core::lowering_matmul
