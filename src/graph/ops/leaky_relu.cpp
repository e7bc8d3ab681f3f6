// x for x > 0, otherwise alpha * x.
#include "graph/op_support.h"

namespace ascribe {
namespace {

void apply(const Evaluation& e) {
  const double alpha = e.attributes.real("alpha");
  visit_real(e.output.dtype, [&]<class T>(T) {
    apply_unary<T, T>(e, [slope = static_cast<T>(alpha)](T x) { return x > 0 ? x : slope * x; });
  });
}

const RegisterOp leaky_relu({.name = "leaky_relu",
                             .op_class = OpClass::selection,
                             .formula = "x > 0 ? x : alpha * x",
                             .infer = infer_same_real,
                             .apply = apply});

}  // namespace
}  // namespace ascribe
