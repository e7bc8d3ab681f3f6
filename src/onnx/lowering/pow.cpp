// Pow. The result has the type of the base. Exponents that exporters write for squares and
// square roots become products and sqrt, which are exact and cheaper.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_pow {
namespace {

// The exponent, if it is one known number that does not enlarge the result.
std::optional<double> plain_exponent(const Builder& b, Value base, Value exponent) {
  const auto known = b.known(exponent);
  if (!known || known->size() != 1 || known->rank() > b.rank(base)) return std::nullopt;
  return known->at(0);
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value base = c.in(0), power_of = second_operand(c);
  const auto exponent = plain_exponent(b, base, power_of);
  const bool is_real = b.kind(base) == Kind::real;
  if (exponent == 1.0) return c.out(0, base);
  if (exponent == 2.0) return c.out(0, b.mul(base, base));
  if (exponent == 3.0) return c.out(0, b.mul(b.mul(base, base), base));
  if (is_real && exponent == 0.5) return c.out(0, b.op("sqrt", {base}));
  if (is_real && exponent == -1.0) return c.out(0, b.op("reciprocal", {base}));
  Value power = b.op("pow", {b.cast(base, Kind::real), b.cast(power_of, Kind::real)});
  // Integers to an integer power are whole; a float result may lie just below.
  if (!is_real && b.kind(power_of) == Kind::integer) power = b.op("round", {power});
  c.out(0, b.cast(power, b.kind(base)));
}

const RegisterLowering pow({"Pow", 15, "axis:-6 broadcast"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_pow
