// Binarizer: 1 above the threshold, 0 elsewhere.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_binarizer {
namespace {

const RegisterLowering binarizer({"ai.onnx.ml.Binarizer", 1, "threshold"}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = b.cast(c.in(0), Kind::real);
  c.out(0, b.cast(above(b, x, c.real("threshold", 0)), Kind::real), "float32");
});

}  // namespace
}  // namespace ascribe::core::lowering_binarizer
