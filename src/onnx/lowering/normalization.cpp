// Normalisations by the statistics of the input itself: Layer-, Instance-, Group-,
// RMSNormalization, MeanVarianceNormalization, LpNormalization.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_normalization {
namespace {

Value normalize(Builder& b, Value x, const std::vector<int64_t>& axes, double epsilon) {
  return b.op("normalize", {x}, {{"axes", ints(axes)}, {"epsilon", reals({epsilon})}});
}

Value mean(Builder& b, Value x, const std::vector<int64_t>& axes) { return b.reduce("reduce_mean", x, axes, true); }

// y scale + bias, the bias optional.
Value affine(NodeContext& c, Value y) {
  Builder& b = c.b();
  y = b.mul(y, c.in(1));
  return c.has(2) ? b.add(y, c.in(2)) : y;
}

void lower_layer(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const auto axes = axes_from(axis_attribute(c, -1, b.rank(x)), b.rank(x));
  const double epsilon = c.real("epsilon", 1e-5);
  if (c.wants(0)) c.out(0, affine(c, normalize(b, x, axes, epsilon)));
  if (c.wants(1)) c.out(1, mean(b, x, axes));
  if (!c.wants(2)) return;
  const Value centred = b.sub(x, mean(b, x, axes));
  const Value variance = mean(b, b.mul(centred, centred), axes);
  c.out(2, b.op("reciprocal", {b.op("sqrt", {b.add(variance, epsilon)})}));
}

// x / sqrt(mean(x^2) + epsilon) scale
void lower_rms(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const auto axes = axes_from(axis_attribute(c, -1, b.rank(x)), b.rank(x));
  const Value size = b.op("sqrt", {b.add(mean(b, b.mul(x, x), axes), c.real("epsilon", 1e-5))});
  c.out(0, b.mul(b.div(x, size), c.in(1)));
}

void lower_instance(NodeContext& c) {
  Builder& b = c.b();
  const int64_t rank = b.rank(c.in(0));
  if (rank < 3) c.refuse("the input has rank {}; expected [N, C, spatial...]", rank);
  const Value y = normalize(b, c.in(0), axes_from(2, rank), c.real("epsilon", 1e-5));
  c.out(0, b.add(b.mul(y, per_channel(b, c.in(1), rank)), per_channel(b, c.in(2), rank)));
}

// Scale and bias are per group in opset 18, per channel since 21.
void lower_group(NodeContext& c) {
  Builder& b = c.b();
  const Dims shape = b.shape(c.in(0));
  const int64_t rank = b.rank(c.in(0)), groups = c.integer("num_groups");
  if (rank < 2) c.refuse("the input has rank {}; expected [N, C, ...]", rank);
  const int64_t channels = fixed_size(c, shape[1], "the number of channels");
  if (groups < 1 || channels % groups != 0) c.refuse("num_groups is {}; expected a divisor of {}", groups, channels);
  Dims grouped = shape;
  grouped[1] = groups;
  grouped.insert(grouped.begin() + 2, channels / groups);
  Value y = normalize(b, b.reshape(c.in(0), grouped), axes_from(2, rank + 1), c.real("epsilon", 1e-5));
  const bool by_channel = c.opset() >= 21;
  if (by_channel) y = b.reshape(y, shape);
  const int64_t own = b.rank(y);
  y = b.add(b.mul(y, per_channel(b, c.in(1), own)), per_channel(b, c.in(2), own));
  c.out(0, b.reshape(y, shape));
}

// (x - mean) / (standard deviation + 1e-9), as the standard's function defines it.
void lower_mean_variance(NodeContext& c) {
  Builder& b = c.b();
  const auto axes = normal_axes(c, c.integers("axes", {0, 2, 3}), b.rank(c.in(0)));
  if (axes.empty()) c.refuse("axes is empty");
  const Value centred = b.sub(c.in(0), mean(b, c.in(0), axes));
  const Value deviation = b.op("sqrt", {mean(b, b.mul(centred, centred), axes)});
  c.out(0, b.div(centred, b.add(deviation, 1e-9)));
}

// x / |x|_p along one axis; a zero vector stays zero.
void lower_lp(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const int64_t axis = axis_attribute(c, -1, b.rank(x)), p = c.integer("p", 2);
  if (p != 1 && p != 2) c.refuse("p is {}; expected 1 or 2", p);
  const Value powers = p == 1 ? b.op("abs", {x}) : b.mul(x, x);
  Value norm = b.reduce("reduce_sum", powers, {axis}, true);
  if (p == 2) norm = b.op("sqrt", {norm});
  const Value is_zero = b.op("equal", {norm, b.scalar(0)});
  c.out(0, b.div(x, b.op("where", {is_zero, b.scalar(1), norm})));
}

const RegisterLowering layer({"LayerNormalization", 17, "axis epsilon stash_type"}, lower_layer);
const RegisterLowering rms({"RMSNormalization", 23, "axis epsilon stash_type"}, lower_rms);
const RegisterLowering instance({"InstanceNormalization", 22, "consumed_inputs epsilon"}, lower_instance);
const RegisterLowering group({"GroupNormalization", 21, "epsilon num_groups stash_type:21"}, lower_group);
const RegisterLowering mean_variance({"MeanVarianceNormalization", 13, "axes"}, lower_mean_variance);
const RegisterLowering lp({"LpNormalization", 22, "axis p"}, lower_lp);

}  // namespace
}  // namespace ascribe::core::lowering_normalization
