// opaque: a function that the caller brings (graph/opaque.h). Everything that only asks for values works on it;
// derivatives are refused (passes/differentiable.h).
#include "graph/opaque.h"

#include "graph/op_support.h"

namespace ascribe::core::op_opaque {
namespace {

Type infer(const Signature& s) {
  const Type& rows = s.inputs[0];
  if (rows.kind != Kind::real || rows.shape.empty()) s.refuse("expected rows of reals; got {}", to_string(rows));
  Dims shape = s.attributes.dims("row");
  shape.insert(shape.begin(), rows.shape[0]);
  return {Kind::real, shape};
}

void apply(const Evaluation& e) {
  const OpaqueFunction& function = *e.attributes.function("function");
  const TensorRef& rows = e.inputs[0];
  const std::shared_ptr<const void> borrowed(std::shared_ptr<const void>(), rows.memory);
  const Tensor answer = function.call(Tensor::borrow(rows.dtype, rows.shape, borrowed, rows.memory));
  if (answer.size() != e.output.size()) {
    fail(ErrorKind::shape, function.name, "the function gave {} numbers for {} rows; expected {}", answer.size(),
         rows.shape[0], e.output.size());
  }
  const Tensor same = answer.cast(e.output.dtype);
  visit(e.output.dtype, [&]<class T>(T) {
    const auto from = same.data<T>();
    std::copy(from.begin(), from.end(), e.output.data<T>().begin());
  });
}

const RegisterOp opaque({.name = "opaque",
                         .op_class = OpClass::opaque,
                         .formula = "a function of the caller's",
                         .infer = infer,
                         .apply = apply});

}  // namespace
}  // namespace ascribe::core::op_opaque
