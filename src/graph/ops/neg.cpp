// -x.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_neg {
namespace {

Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.op("neg", {gradient}); }

const RegisterOp neg(with_adjoint(unary_number_op("neg", OpClass::linear, "-x",
                                                  []<class T>(T x) {
                                                    if constexpr (std::is_integral_v<T>)
                                                      return wrapping(std::minus{}, T{0}, x);
                                                    else return -x;
                                                  }),
                                  adjoint));

}  // namespace
}  // namespace ascribe::core::op_neg
