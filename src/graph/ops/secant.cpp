// g (y - y_b) / (x - x_b), the slope of a function between two points, where |x - x_b| exceeds both `absolute` and
// relative * (|x| + |x_b|); otherwise `tangent`, what the derivative gives. Operands g, y, y_b, x, x_b, tangent, all
// of one shape; or g, x, x_b, for relu: y and the tangent then follow from x and x_b. DeepLIFT's multipliers
// (Shrikumar et al. 2017, eq. 4).
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_secant {
namespace {

Type infer(const Signature& s) {
  if (s.inputs.size() != 3 && s.inputs.size() != 6) s.refuse("expected 3 or 6 operands; got {}", s.inputs.size());
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    expect_kind(s, i, Kind::real);
    if (s.shape(i) != s.shape(0)) {
      s.refuse("the operands differ in shape; got {} and {}", to_string(s.shape(0)), to_string(s.shape(i)));
    }
  }
  return s.inputs[0];
}

void apply(const Evaluation& e) {
  visit_real(e.output.dtype, [&]<class T>(T) {
    const T absolute = static_cast<T>(e.attributes.real("absolute")),
            relative = static_cast<T>(e.attributes.real("relative"));
    const auto in = [&](size_t i) { return e.inputs[i].data<const T>(); };
    const auto out = e.output.data<T>();
    if (e.inputs.size() == 3) {
      const auto g = in(0), x = in(1), x_b = in(2);
      parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T dx = x[i] - x_b[i], dy = std::max(x[i], T{0}) - std::max(x_b[i], T{0});
          out[i] = dx != 0 ? g[i] * (dy / dx) : x[i] > 0 ? g[i] : T{0};
        }
      });
      return;
    }
    const auto g = in(0), y = in(1), y_b = in(2), x = in(3), x_b = in(4), tangent = in(5);
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T dx = x[i] - x_b[i];
        const bool apart = std::abs(dx) > std::max(absolute, relative * (std::abs(x[i]) + std::abs(x_b[i])));
        out[i] = apart ? g[i] * ((y[i] - y_b[i]) / dx) : tangent[i];
      }
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  if (in.size() == 3) {
    const Value dx = b.sub(in[1], in[2]), still = b.op("equal", {dx, b.scalar(0)});
    const Value dy = b.sub(b.op("relu", {in[1]}), b.op("relu", {in[2]}));
    const Value slope = b.div(dy, b.op("where", {still, b.scalar(1), dx}));
    return b.op("where", {still, b.op("gate", {in[0], in[1]}), b.mul(in[0], slope)});
  }
  const Value dx = b.sub(in[3], in[4]);
  const Value size = b.add(b.op("abs", {in[3]}), b.op("abs", {in[4]}));
  const Value least =
      b.op("maximum", {b.mul(size, attributes.real("relative")), b.scalar(attributes.real("absolute"))});
  const Value apart = b.op("less", {least, b.op("abs", {dx})});
  const Value slope = b.div(b.sub(in[1], in[2]), b.op("where", {apart, dx, b.scalar(1)}));
  return b.op("where", {apart, b.mul(in[0], slope), in[5]});
}

const RegisterOp secant({.name = "secant",
                         .op_class = OpClass::composite,
                         .traits = {.pointwise = true},
                         .formula = "g (y - y_b) / (x - x_b); where x is about x_b: the tangent",
                         .min_inputs = 3,
                         .max_inputs = 6,
                         .infer = infer,
                         .apply = apply,
                         .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_secant
