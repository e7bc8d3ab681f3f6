// Dropout at inference: the input itself, and a mask that keeps everything.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_dropout {
namespace {

bool drops_anything(const NodeContext& c) {
  if (c.opset() < 7) return c.integer("is_test", 0) == 0 && c.real("ratio", 0.5) != 0;
  if (!c.has(2) || c.constant(2, "training_mode").at(0) == 0) return false;
  return !c.has(1) || c.constant(1, "ratio").at(0) != 0;
}

void lower(NodeContext& c) {
  if (drops_anything(c)) c.unsupported("the node is in training mode; export the model for inference");
  Builder& b = c.b();
  if (c.wants(0)) c.out(0, c.in(0));
  if (!c.wants(1)) return;
  const Kind kind = c.opset() < 10 ? b.kind(c.in(0)) : Kind::boolean;
  c.out(1, b.expand(number(b, kind, 1), b.shape(c.in(0))));
}

const RegisterLowering dropout({"Dropout", 22, "consumed_inputs is_test ratio seed:12"}, lower, "inference only");

}  // namespace
}  // namespace ascribe::core::lowering_dropout
