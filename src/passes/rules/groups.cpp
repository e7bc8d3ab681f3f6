#include "passes/rules/groups.h"

namespace ascribe::core {

Value sum_of(Builder& b, Value one, Value other) {
  if (!one.valid()) return other;
  return other.valid() ? b.add(one, other) : one;
}

Value group_sum(const RuleRequest& r, bool positive) {
  const Part same = positive ? Part::positive : Part::negative, other = positive ? Part::negative : Part::positive;
  const Value x = r.map.x();
  if (r.x_never_negative) return r.map.forward(x, same);
  const Value above = r.map.forward(part_of(r.b(), x, Part::positive), same);
  return sum_of(r.b(), above, r.map.forward(part_of(r.b(), x, Part::negative), other));
}

Value group_coefficient(const RuleRequest& r, Value s, bool positive) {
  const Part same = positive ? Part::positive : Part::negative, other = positive ? Part::negative : Part::positive;
  const Value above = r.map.backward(s, same);
  if (r.x_never_negative) return above;
  const Value below = r.map.backward(s, other);
  Builder& b = r.b();
  // Where x is positive the one, elsewhere the other; each is kept or taken away as it is, without rounding.
  const Value up = above.valid() ? b.op("gate", {above, r.map.x()}) : Value{};
  const Value down = below.valid() ? b.sub(below, b.op("gate", {below, r.map.x()})) : Value{};
  return sum_of(b, up, down);
}

}  // namespace ascribe::core
