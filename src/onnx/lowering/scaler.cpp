// Scaler: (x - offset) scale, per feature.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_scaler {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value x = b.cast(c.in(0), Kind::real);
  if (b.rank(x) < 1) c.refuse("the operand is one number; expected features");
  const int64_t features = fixed_size(c, b.shape(x).back(), "the number of features");
  const std::vector<double> offset = finite_reals(c, "offset"), scale = finite_reals(c, "scale");
  if (offset.size() != scale.size()) {
    c.refuse("offset has {} numbers and scale {}; expected as many", offset.size(), scale.size());
  }
  c.out(0, b.mul(b.sub(x, per_feature(c, offset, "offset", features)), per_feature(c, scale, "scale", features)),
        "float32");
}

const RegisterLowering scaler({"ai.onnx.ml.Scaler", 1, "offset scale"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_scaler
