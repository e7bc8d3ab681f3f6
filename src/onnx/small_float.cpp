#include "onnx/small_float.h"

#include <cmath>

#include "base/error.h"

namespace ascribe::core {

SmallFloat small_float_named(std::string_view element_type) {
  using Special = SmallFloat::Special;
  if (element_type == "float8e4m3fn") return {4, 3, 7, true, Special::all_ones};
  if (element_type == "float8e4m3fnuz") return {4, 3, 8, true, Special::minus_zero};
  if (element_type == "float8e5m2") return {5, 2, 15, true, Special::ieee};
  if (element_type == "float8e5m2fnuz") return {5, 2, 16, true, Special::minus_zero};
  if (element_type == "float4e2m1") return {2, 1, 1, true, Special::none};
  if (element_type == "float8e8m0") return {8, 0, 127, false, Special::all_ones};
  fail(ErrorKind::internal, element_type, "is not a small float");
}

float small_to_float(const SmallFloat& format, int bits) {
  const int exponent_mask = (1 << format.exponent_bits) - 1, mantissa_mask = (1 << format.mantissa_bits) - 1;
  const int mantissa = bits & mantissa_mask, exponent = bits >> format.mantissa_bits & exponent_mask;
  const bool negative = format.is_signed && (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  const float sign = negative ? -1.0F : 1.0F;
  const bool is_top = exponent == exponent_mask;
  switch (format.special) {
    case SmallFloat::Special::ieee:
      if (is_top) return mantissa != 0 ? NAN : sign * INFINITY;
      break;
    case SmallFloat::Special::all_ones:
      if (is_top && mantissa == mantissa_mask) return NAN;
      break;
    case SmallFloat::Special::minus_zero:
      if (negative && exponent == 0 && mantissa == 0) return NAN;
      break;
    case SmallFloat::Special::none: break;
  }
  // Without a mantissa every exponent is a power of 2, also the smallest.
  if (format.mantissa_bits == 0) return std::ldexp(1.0F, exponent - format.bias);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - format.bias - format.mantissa_bits);
  return sign *
         std::ldexp(static_cast<float>(mantissa + mantissa_mask + 1), exponent - format.bias - format.mantissa_bits);
}

}  // namespace ascribe::core
