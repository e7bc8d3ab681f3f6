// DeepLIFT RevealCancel: the positive and the negative contributions to a neuron have an effect each,
// dy+ = (s(z' + dz+) - s(z') + s(z' + dz+ + dz-) - s(z' + dz-)) / 2, dy- alike with the groups swapped, and share it
// in proportion: multipliers dy+ / dz+ and dy- / dz- by the sign of dz_ij; where a group is empty, the derivative's.
// Source: Shrikumar, Greenside, Kundaje 2017, section 3.5.3.
#include "passes/activations.h"
#include "passes/multipliers.h"

namespace ascribe {

namespace {

// The sum of positive dz_ij of each neuron.
Value positive_change(const LinearMap& map, Value change) {
  Builder& b = map.b();
  const Value up = map.forward(part_of(b, change, Part::positive), Part::positive);
  const Value down = map.forward(part_of(b, change, Part::negative), Part::negative);
  return down.valid() ? b.add(up, down) : up;
}

}  // namespace

Value reveal_cancel(const ModuleRequest& r) {
  Builder& b = r.b();
  const Value change = b.sub(r.x(), r.x_b), zero = b.mul(r.z, 0);
  const Value up = positive_change(r.map, change), down = b.sub(b.sub(r.z, r.z_b), up);
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
  const Value moved = b.add(b.op("gate", {b.sub(grown, fallen), change}), fallen);
  return b.op("where", {b.op("equal", {change, b.scalar(0)}), still, moved});
}

}  // namespace ascribe
