// min(max(x, min), max): where the bounds cross, max wins. Infinite bounds do not clip; NaN stays NaN.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_clip {
namespace {

Type infer(const Signature& s) {
  if (std::isnan(s.attributes.real("min")) || std::isnan(s.attributes.real("max"))) s.refuse("a bound is not a number");
  return infer_same_number(s);
}

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) {
    const T low = convert_element<T>(e.attributes.real("min"));
    const T high = convert_element<T>(e.attributes.real("max"));
    apply_unary<T, T>(e, [&](T x) {
      const T raised = x < low ? low : x;
      return raised > high ? high : raised;
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const double low = attributes.real("min"), high = attributes.real("max");
  Value y = in[0];
  if (low > -INFINITY) y = b.op("where", {b.op("less_equal", {y, b.scalar(low)}), b.scalar(low), y});
  if (high < INFINITY) y = b.op("where", {b.op("less_equal", {b.scalar(high), y}), b.scalar(high), y});
  return y;
}

// The gradient where x lies strictly between the bounds, which is where the result does: only that need be kept.
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const double low = r.attributes.real("min"), high = r.attributes.real("max");
  std::vector<Value> within;
  if (low > -INFINITY) within.push_back(b.op("less", {b.scalar(low), r.output}));
  if (high < INFINITY) within.push_back(b.op("less", {r.output, b.scalar(high)}));
  if (within.empty()) return gradient;
  const Value inside = within.size() == 1 ? within[0] : b.op("logical_and", within);
  return b.op("where", {inside, gradient, b.scalar(0)});
}

void more_traits(Traits& traits, const Attributes& attributes) {
  const double low = attributes.real("min"), high = attributes.real("max");
  traits.bounded = std::isfinite(low) && std::isfinite(high);
  if (high >= 0) traits.sign = low >= 0 ? Sign::never_negative : Sign::kept;
}

const RegisterOp clip({.name = "clip",
                       .op_class = OpClass::selection,
                       .traits = {.pointwise = true, .rises = true},
                       .formula = "min(max(x, min), max)",
                       .infer = infer,
                       .apply = apply,
                       .adjoint = adjoint,
                       .lower = lower,
                       .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_clip
