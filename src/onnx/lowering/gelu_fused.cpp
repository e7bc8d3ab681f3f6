// ONNX Runtime's forms of the Gelu: Gelu and BiasGelu by the error function, FastGelu by tanh, QuickGelu by the
// logistic function; and BiasAdd.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_gelu_fused {
namespace {

Value gelu(Builder& b, Value x, const std::string& approximate) {
  return b.op("gelu", {x}, {{"approximate", approximate}});
}

// Operand 0 plus operand 1, where it is given.
Value biased(NodeContext& c) { return c.has(1) ? c.b().add(c.in(0), c.in(1)) : c.in(0); }

const RegisterLowering plain({"com.microsoft.Gelu"}, [](NodeContext& c) { c.out(0, gelu(c.b(), c.in(0), "none")); });
const RegisterLowering bias({"com.microsoft.BiasGelu"},
                            [](NodeContext& c) { c.out(0, gelu(c.b(), biased(c), "none")); });
const RegisterLowering fast({"com.microsoft.FastGelu"},
                            [](NodeContext& c) { c.out(0, gelu(c.b(), biased(c), "tanh")); });

// x sigmoid(alpha x)
const RegisterLowering quick({"com.microsoft.QuickGelu", 1, "alpha"}, [](NodeContext& c) {
  Builder& b = c.b();
  c.out(0, b.mul(c.in(0), b.op("sigmoid", {b.mul(c.in(0), c.real("alpha", 1.702))})));
});

const RegisterLowering bias_add({"com.microsoft.BiasAdd"},
                                [](NodeContext& c) { c.out(0, c.b().add(biased(c), c.in(2))); });

}  // namespace
}  // namespace ascribe::core::lowering_gelu_fused
