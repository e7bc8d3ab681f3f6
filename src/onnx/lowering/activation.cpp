// The activation functions except Clip, Softmax and PRelu. Attribute defaults are those of
// the newest opset; they have not changed since opset 6.
#include <cmath>

#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_activation {
namespace {

Value clip(Builder& b, Value x, double low, double high) {
  return b.op("clip", {x}, {{"min", reals({low})}, {"max", reals({high})}});
}

Value elu(Builder& b, Value x, double alpha) { return b.op("elu", {x}, {{"alpha", reals({alpha})}}); }

const RegisterLowering sigmoid({"Sigmoid", 13, "consumed_inputs"}, lower_unary<"sigmoid">);
const RegisterLowering tanh({"Tanh", 13, "consumed_inputs"}, lower_unary<"tanh">);
const RegisterLowering softplus({"Softplus", 22}, lower_unary<"softplus">);
const RegisterLowering hard_swish({"HardSwish", 22}, lower_unary<"hard_swish">);
const RegisterLowering mish({"Mish", 22}, lower_unary<"mish">);

const RegisterLowering relu({"Relu", 14, "consumed_inputs"}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  c.out(0, b.kind(x) == Kind::real ? b.op("relu", {x}) : b.op("maximum", {x, b.integer(0)}));
});

const RegisterLowering leaky_relu({"LeakyRelu", 16, "alpha consumed_inputs"}, [](NodeContext& c) {
  c.out(0, c.b().op("leaky_relu", {c.in(0)}, {{"alpha", reals({c.real("alpha", 0.01)})}}));
});

const RegisterLowering thresholded_relu({"ThresholdedRelu", 22, "alpha"}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value above = b.op("less", {b.scalar(c.real("alpha", 1.0)), c.in(0)});
  c.out(0, b.op("where", {above, c.in(0), b.scalar(0)}));
});

const RegisterLowering elu_lowering({"Elu", 22, "alpha consumed_inputs"},
                                    [](NodeContext& c) { c.out(0, elu(c.b(), c.in(0), c.real("alpha", 1.0))); });

const RegisterLowering selu({"Selu", 22, "alpha consumed_inputs gamma"}, [](NodeContext& c) {
  const double alpha = c.real("alpha", 1.67326319217681884765625);
  c.out(0, c.b().mul(elu(c.b(), c.in(0), alpha), c.real("gamma", 1.05070102214813232421875)));
});

// alpha elu(x / alpha)
const RegisterLowering celu({"Celu", 28, "alpha"}, [](NodeContext& c) {
  const double alpha = c.real("alpha", 1.0);
  if (!(alpha > 0)) c.refuse("alpha is {}; expected a positive number", alpha);
  if (alpha == 1) return c.out(0, elu(c.b(), c.in(0), 1));
  c.out(0, c.b().mul(elu(c.b(), c.b().mul(c.in(0), 1 / alpha), 1), alpha));
});

const RegisterLowering hard_sigmoid({"HardSigmoid", 22, "alpha beta consumed_inputs"}, [](NodeContext& c) {
  Builder& b = c.b();
  c.out(0, clip(b, b.add(b.mul(c.in(0), c.real("alpha", 0.2)), c.real("beta", 0.5)), 0, 1));
});

// x / (1 + |x|)
const RegisterLowering softsign({"Softsign", 22}, [](NodeContext& c) {
  Builder& b = c.b();
  c.out(0, b.div(c.in(0), b.add(b.op("abs", {c.in(0)}), 1.0)));
});

const RegisterLowering gelu({"Gelu", 20, "approximate"}, [](NodeContext& c) {
  const std::string approximate = c.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    c.refuse("approximate is \"{}\"; expected none or tanh", approximate);
  c.out(0, c.b().op("gelu", {c.in(0)}, {{"approximate", approximate}}));
});

// x sigmoid(alpha x)
const RegisterLowering swish({"Swish", 24, "alpha"}, [](NodeContext& c) {
  Builder& b = c.b();
  const double alpha = c.real("alpha", 1.0);
  if (alpha == 1) return c.out(0, b.op("silu", {c.in(0)}));
  c.out(0, b.mul(c.in(0), b.op("sigmoid", {b.mul(c.in(0), alpha)})));
});

// x + bias below -lambd, x - bias above lambd, 0 between.
const RegisterLowering shrink({"Shrink", 9, "bias lambd"}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = b.cast(c.in(0), Kind::real);
  const double lambd = c.real("lambd", 0.5), bias = c.real("bias", 0.0);
  const Value below = b.op("less", {x, b.scalar(-lambd)}), above = b.op("less", {b.scalar(lambd), x});
  const Value upper = b.op("where", {above, b.add(x, -bias), b.scalar(0)});
  c.out(0, b.cast(b.op("where", {below, b.add(x, bias), upper}), b.kind(c.in(0))));
});

// slope x where x < 0. Before opset 7 a slope of [C] lies along the channels.
const RegisterLowering prelu({"PRelu", 16, "consumed_inputs"}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  Value slope = c.in(1);
  const auto known = b.known(slope);
  if (known && known->size() == 1 && known->rank() <= b.rank(x) && b.kind(x) == Kind::real) {
    return c.out(0, b.op("leaky_relu", {x}, {{"alpha", reals({known->at(0)})}}));
  }
  if (c.opset() < 7 && b.rank(slope) == 1 && b.rank(x) > 1) slope = per_channel(b, slope, b.rank(x));
  const Value negative = b.op("less", {x, number(b, b.kind(x), 0)});
  c.out(0, b.op("where", {negative, b.mul(slope, x), x}));
});

}  // namespace
}  // namespace ascribe::core::lowering_activation
