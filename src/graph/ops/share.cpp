// What a relevance rule passes on per unit of contribution: scale * r / (z + epsilon * sign(z)), times y if it is
// given. The sign of 0 is +. Guarded: 0 where z is 0, so that a group without members gets nothing.
// All operands have one shape.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_share {
namespace {

Type infer(const Signature& s) {
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    expect_kind(s, i, Kind::real);
    if (s.shape(i) != s.shape(0)) {
      s.refuse("the operands differ in shape; got {} and {}", to_string(s.shape(0)), to_string(s.shape(i)));
    }
  }
  if (const double epsilon = s.attributes.real("epsilon"); !(epsilon >= 0)) {
    s.refuse("epsilon must not be negative; got {}", epsilon);
  }
  return s.inputs[0];
}

void apply(const Evaluation& e) {
  const bool guarded = e.attributes.flag("guarded");
  visit_real(e.output.dtype, [&]<class T>(T) {
    const T scale = static_cast<T>(e.attributes.real("scale")), epsilon = static_cast<T>(e.attributes.real("epsilon"));
    const auto r = e.inputs[0].data<const T>(), z = e.inputs[1].data<const T>();
    const auto y = e.inputs.back().data<const T>();
    const bool factored = e.inputs.size() > 2;
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T given = scale * (factored ? r[i] * y[i] : r[i]);
        out[i] = guarded && z[i] == 0 ? T{0} : given / (z[i] < 0 ? z[i] - epsilon : z[i] + epsilon);
      }
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const double epsilon = attributes.real("epsilon");
  const Value given = b.mul(in.size() > 2 ? b.mul(in[0], in[2]) : in[0], attributes.real("scale"));
  Value z = in[1];
  const Value zero = b.scalar(0);
  if (epsilon != 0) {
    z = b.add(z, b.op("where", {b.op("less", {z, zero}), b.scalar(-epsilon), b.scalar(epsilon)}));
  }
  if (!attributes.flag("guarded")) return b.div(given, z);
  const Value empty = b.op("equal", {in[1], zero});
  return b.op("where", {empty, zero, b.div(given, b.op("where", {empty, b.scalar(1), z}))});
}

void more_traits(Traits& traits, const Attributes& attributes) {
  if (attributes.real("scale") >= 0) traits.sign = Sign::kept;
}

const RegisterOp share({.name = "share",
                        .op_class = OpClass::composite,
                        .traits = {.pointwise = true},
                        .formula = "scale * r * y / (z + epsilon * sign(z)); guarded: 0 where z is 0",
                        .min_inputs = 2,
                        .max_inputs = 3,
                        .infer = infer,
                        .apply = apply,
                        .lower = lower,
                        .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_share
