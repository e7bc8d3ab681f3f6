// DeepLIFT RevealCancel: the positive and the negative contributions to a neuron have an effect each,
// dy+ = (s(z' + dz+) - s(z') + s(z' + dz+ + dz-) - s(z' + dz-)) / 2, dy- alike with the groups swapped, and share it
// in proportion: multipliers dy+ / dz+ and dy- / dz- by the sign of dz_ij; where a group is empty, the derivative's.
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

}  // namespace

Value reveal_cancel(const ModuleRequest& r) {
  Builder& b = r.b();
  const Value change = b.sub(r.x(), r.x_b), zero = b.mul(r.z, 0);
  const Value grown_x = part_of(b, change, Part::positive), fallen_x = part_of(b, change, Part::negative);
  const Value up = change_of_group(r.map, grown_x, fallen_x, true);
  const Value down = change_of_group(r.map, grown_x, fallen_x, false);
  const Value y_up = activation_at(b, r.activation, b.add(r.z_b, up));
  const Value y_down = activation_at(b, r.activation, b.add(r.z_b, down));
  // y, y_b, y_up and y_down are the activation at all four corners.
  const Value both = b.sub(r.y, r.y_b), apart = b.sub(y_up, y_down);
  const Value effect_up = b.mul(b.add(both, apart), 0.5), effect_down = b.mul(b.sub(both, apart), 0.5);
  const Value by_up = secant(b, r.multiplier, effect_up, zero, up, zero, r.tangent, true);
  const Value by_down = secant(b, r.multiplier, effect_down, zero, down, zero, r.tangent, true);

  // An input that grew contributes positively through positive weights, one that fell through negative ones.
  const auto through = [&](Value positive, Value negative) {
    return b.add(r.map.backward(positive, Part::positive), r.map.backward(negative, Part::negative));
  };
  const Value grown = through(by_up, by_down), fallen = through(by_down, by_up);
  const Value still = r.map.backward(r.tangent);
  const Value moved = b.add(b.op("gate", {grown, change}), b.sub(fallen, b.op("gate", {fallen, change})));
  return b.op("where", {b.op("equal", {change, b.scalar(0)}), still, moved});
}

}  // namespace ascribe::core
