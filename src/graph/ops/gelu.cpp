// x * Phi(x), Phi the normal distribution function (Hendrycks and Gimpel, arXiv:1606.08415).
// approximate "none": Phi(x) = (1 + erf(x / sqrt 2)) / 2;
// "tanh": Phi(x) ~ (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
#include <cmath>
#include <numbers>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_gelu {
namespace {

const double kCubic = 0.044715;
const double kScale = std::sqrt(2 / std::numbers::pi);

bool by_tanh(const Attributes& attributes) { return attributes.text("approximate") == "tanh"; }

Type infer(const Signature& s) {
  const std::string& approximate = s.attributes.text("approximate");
  if (approximate != "none" && approximate != "tanh") {
    s.refuse("unknown approximation; got '{}'; expected none or tanh", approximate);
  }
  return infer_same_real(s);
}

void apply(const Evaluation& e) {
  visit_real(e.output.dtype, [&]<class T>(T) {
    if (by_tanh(e.attributes)) {
      apply_unary<T, T>(e, [](T x) {
        return x * T{0.5} * (1 + std::tanh(static_cast<T>(kScale) * (x + static_cast<T>(kCubic) * x * x * x)));
      });
    } else {
      apply_unary<T, T>(e, [](T x) { return x * T{0.5} * (1 + std::erf(x * static_cast<T>(std::sqrt(0.5)))); });
    }
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const Value x = in[0];
  Value odd;  // 2 Phi(x) - 1
  if (by_tanh(attributes)) {
    const Value cube = b.mul(b.mul(x, x), x);
    odd = b.op("tanh", {b.mul(b.add(x, b.mul(cube, kCubic)), kScale)});
  } else {
    odd = b.op("erf", {b.mul(x, std::sqrt(0.5))});
  }
  return b.mul(b.mul(x, 0.5), b.add(odd, 1));
}

const RegisterOp gelu({.name = "gelu",
                       .op_class = OpClass::composite,
                       .traits = {.pointwise = true, .sign = Sign::kept},
                       .formula = "x * (1 + erf(x / sqrt 2)) / 2, or its approximation by tanh",
                       .infer = infer,
                       .apply = apply,
                       .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_gelu
