// (x - mean) / sqrt(variance + epsilon), mean and variance taken over some axes, in double.
// What layer, instance and group normalisation have in common. The variance is the
// mean of the squared deviations.
#include <cmath>

#include "graph/builder.h"
#include "graph/reduction.h"

namespace ascribe::core::op_normalize {
namespace {

Type infer(const Signature& s) {
  std::vector<bool> seen(s.rank(0), false);
  for (const int64_t axis : s.attributes.integers("axes")) {
    if (axis < 0 || axis >= s.rank(0) || seen[axis]) {
      s.refuse("the axes must be different axes of {}; got {}", to_string(s.shape(0)),
               to_string(s.attributes.dims("axes")));
    }
    seen[axis] = true;
  }
  if (const double epsilon = s.attributes.real("epsilon"); !(epsilon >= 0 && std::isfinite(epsilon))) {
    s.refuse("epsilon must be finite and not negative; got {}", epsilon);
  }
  return infer_same_real(s);
}

template <class T>
void standardize(const Reduction& group, const T* x, T* out, double epsilon) {
  const auto each = [&](auto f) {
    for (const int64_t start : group.starts) {
      for (int64_t k = 0; k < group.run; ++k) f(start + k * group.stride);
    }
  };
  const auto count = static_cast<double>(group.count);
  double mean = 0, variance = 0;
  each([&](int64_t i) { mean += x[i]; });
  mean /= count;
  each([&](int64_t i) { variance += (x[i] - mean) * (x[i] - mean); });
  const double deviation = std::sqrt(variance / count + epsilon);
  each([&](int64_t i) { out[i] = static_cast<T>((x[i] - mean) / deviation); });
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const Reduction group = plan_reduction(e.output.shape, e.attributes.integers("axes"));
  const double epsilon = e.attributes.real("epsilon");
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(element_count(group.kept), kGrain / group.count, [&](int64_t begin, int64_t end) {
      for_each_broadcast(group.kept, group.kept_strides, begin, end, [&](int64_t, int64_t base) {
        standardize(group, x.data() + base, out.data() + base, epsilon);
      });
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const auto axes = attributes.integers("axes");
  const Value centred = b.sub(in[0], b.reduce("reduce_mean", in[0], axes, true));
  const Value variance = b.reduce("reduce_mean", b.mul(centred, centred), axes, true);
  return b.div(centred, b.op("sqrt", {b.add(variance, attributes.real("epsilon"))}));
}

const RegisterOp normalize({.name = "normalize",
                            .op_class = OpClass::composite,
                            .formula = "(x - mean) / sqrt(variance + epsilon) over the axes",
                            .infer = infer,
                            .apply = apply,
                            .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_normalize
