// Clip: min(max(x, low), high). The bounds are attributes before opset 11, operands since;
// bounds that are not known when the model is loaded become maximum and minimum.
#include <limits>

#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_clip {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void lower_attributes(NodeContext& c) {
  const double low = c.real("min", -kInfinity), high = c.real("max", kInfinity);
  Builder& b = c.b();
  if (low <= high) return c.out(0, b.op("clip", {c.in(0)}, {{"min", reals({low})}, {"max", reals({high})}}));
  c.out(0, b.op("minimum", {b.op("maximum", {c.in(0), b.scalar(low)}), b.scalar(high)}));
}

std::optional<double> known_bound(const NodeContext& c, size_t input, double otherwise) {
  if (!c.has(input)) return otherwise;
  const auto known = c.b().known(c.in(input));
  if (!known || known->size() != 1) return std::nullopt;
  return known->at(0);
}

void lower(NodeContext& c) {
  if (c.opset() < 11) return lower_attributes(c);
  Builder& b = c.b();
  Value x = c.in(0);
  const auto low = known_bound(c, 1, -kInfinity), high = known_bound(c, 2, kInfinity);
  if (b.kind(x) == Kind::real && low && high && *low <= *high) {
    return c.out(0, b.op("clip", {x}, {{"min", reals({*low})}, {"max", reals({*high})}}));
  }
  if (c.has(1)) x = b.op("maximum", {x, b.reshape(c.in(1), {})});
  if (c.has(2)) x = b.op("minimum", {x, b.reshape(c.in(2), {})});
  c.out(0, x);
}

const RegisterLowering clip({"Clip", 13, "consumed_inputs max:-10 min:-10"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_clip
