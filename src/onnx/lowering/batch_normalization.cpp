// BatchNormalization for inference: (x - mean) / sqrt(var + epsilon) scale + bias, as one
// factor and one summand per channel (or, with spatial = 0 before opset 9, per element).
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_batch_normalization {
namespace {

void refuse_training(const NodeContext& c) {
  const bool legacy = c.opset() < 7 && c.integer("is_test", 0) == 0;
  if (c.integer("training_mode", 0) != 0 || legacy)
    c.unsupported("the node is in training mode; export the model for inference");
  for (size_t i = 1; i < c.output_count(); ++i) {
    if (c.wants(i))
      c.unsupported("the node gives its statistics as outputs, as in training; export the model for inference");
  }
}

void lower(NodeContext& c) {
  refuse_training(c);
  Builder& b = c.b();
  const int64_t rank = b.rank(c.in(0));
  if (rank < 2) c.refuse("the input has rank {}; expected [N, C, ...]", rank);
  const auto shaped = [&](Value v) { return b.rank(v) == 1 ? per_channel(b, v, rank) : v; };
  const Value deviation = b.op("sqrt", {b.add(c.in(4), c.real("epsilon", 1e-5))});
  const Value factor = b.div(c.in(1), deviation);
  const Value summand = b.sub(c.in(2), b.mul(c.in(3), factor));
  c.out(0, b.add(b.mul(c.in(0), shaped(factor)), shaped(summand)));
}

const RegisterLowering batch_normalization({"BatchNormalization", 15,
                                            "consumed_inputs epsilon is_test momentum spatial training_mode:14"},
                                           lower, "inference only");

}  // namespace
}  // namespace ascribe::core::lowering_batch_normalization
