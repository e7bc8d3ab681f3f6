// (x - mean) / sqrt(variance + epsilon), mean and variance taken over some axes, in double.
// What layer, instance and group normalisation have in common. The variance is the
// mean of the squared deviations.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe {
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

// Some axes of an array: their extents and, in the form of for_each_broadcast, their strides.
struct Axes {
  Shape extents;
  std::array<std::vector<int64_t>, 1> strides;

  void add(int64_t extent, int64_t stride) {
    extents.push_back(extent);
    strides[0].push_back(stride);
  }
};

template <class T>
void standardize(std::span<const T> x, std::span<T> out, int64_t base, const std::vector<int64_t>& group,
                 double epsilon) {
  const auto count = static_cast<double>(group.size());
  double mean = 0, variance = 0;
  for (const int64_t offset : group) mean += x[base + offset];
  mean /= count;
  for (const int64_t offset : group) variance += (x[base + offset] - mean) * (x[base + offset] - mean);
  const double deviation = std::sqrt(variance / count + epsilon);
  for (const int64_t offset : group) out[base + offset] = static_cast<T>((x[base + offset] - mean) / deviation);
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const auto axes = e.attributes.integers("axes");
  const auto strides = strides_of(e.output.shape);
  Axes kept, reduced;
  for (int64_t axis = 0; axis < static_cast<int64_t>(strides.size()); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (is_reduced ? reduced : kept).add(e.output.shape[axis], strides[axis]);
  }
  std::vector<int64_t> group;  // offsets of what is normalised together
  for_each_broadcast(reduced.extents, reduced.strides, 0, element_count(reduced.extents),
                     [&](int64_t, int64_t offset) { group.push_back(offset); });
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    const int64_t grain = kGrain / static_cast<int64_t>(group.size());
    parallel_for(element_count(kept.extents), grain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(kept.extents, kept.strides, begin, end, [&](int64_t, int64_t base) {
        standardize(x, out, base, group, e.attributes.real("epsilon"));
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
}  // namespace ascribe
