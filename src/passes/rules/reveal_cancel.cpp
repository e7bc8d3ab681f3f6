// DeepLIFT RevealCancel: the positive and the negative contributions to a neuron have an effect each,
// dy+ = (s(z' + dz+) - s(z') + s(z' + dz+ + dz-) - s(z' + dz-)) / 2, dy- alike with the groups swapped, and share it
// in proportion: multipliers dy+ / dz+ and dy- / dz- by the sign of dz_ij. Each is the mean of two slopes of s, which
// are derivatives where a group is empty: (s'(z') + s'(z' + dz-)) / 2 is the limit of dy+ / dz+. An input that does not
// change belongs to neither group: it gets the mean of what it would get from each side.
// Source: Shrikumar, Greenside, Kundaje 2017, section 3.5.3.
#include "passes/activations.h"
#include "passes/multipliers.h"

namespace ascribe::core {

namespace {

// The sums of the positive and of the negative dz_ij of each neuron. Not one from the other: what is left of their
// difference when a group is empty would be rounding.
Value change_of_group(const LinearMap& map, Value grown, Value fallen, bool positive) {
  const Part same = positive ? Part::positive : Part::negative, other = positive ? Part::negative : Part::positive;
  return map.b().add(map.forward(grown, same), map.forward(fallen, other));
}

Value by_groups(const ModuleRequest& r, AtZero at_zero) {
  Builder& b = r.b();
  const auto mean = [&](Value one, Value other) { return b.mul(b.add(one, other), 0.5); };
  const Value change = b.sub(r.x(), r.x_b);
  const Value grown_x = part_of(b, change, Part::positive), fallen_x = part_of(b, change, Part::negative);
  const Value up = b.add(r.z_b, change_of_group(r.map, grown_x, fallen_x, true));
  const Value down = b.add(r.z_b, change_of_group(r.map, grown_x, fallen_x, false));
  // Each group moves first, from the reference, or second, to x.
  const Node& s = r.activation;
  const ActivationPoint at_x = activation_point(b, s, r.multiplier, r.z, r.y);
  const ActivationPoint at_b = activation_point(b, s, r.multiplier, r.z_b, r.y_b);
  const ActivationPoint at_up = activation_point(b, s, r.multiplier, up);
  const ActivationPoint at_down = activation_point(b, s, r.multiplier, down);
  const auto slope = [&](const auto& to, const auto& from) { return activation_slope(b, s, r.multiplier, to, from); };
  const Value by_up = mean(slope(at_up, at_b), slope(at_x, at_down));
  const Value by_down = mean(slope(at_down, at_b), slope(at_x, at_up));

  // An input that grew contributes positively through positive weights, one that fell through negative ones.
  const auto through = [&](Value positive, Value negative) {
    return b.add(r.map.backward(positive, Part::positive), r.map.backward(negative, Part::negative));
  };
  const Value grown = through(by_up, by_down), fallen = through(by_down, by_up);
  const Value moved = b.add(b.op("gate", {grown, change}), b.sub(fallen, b.op("gate", {fallen, change})));
  const Value still = at_zero == AtZero::limit ? mean(grown, fallen)
                                               : r.map.backward(activation_gradient(b, s, r.z, r.y, r.multiplier));
  return b.op("where", {b.op("equal", {change, b.scalar(0)}), still, moved});
}

}  // namespace

ModuleRule reveal_cancel(AtZero at_zero) {
  return [at_zero](const ModuleRequest& r) { return by_groups(r, at_zero); };
}

}  // namespace ascribe::core
