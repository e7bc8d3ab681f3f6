// Floating point numbers of 4 and 8 bits, which files may hold and tensors widen to float32.
#pragma once

#include <string_view>

namespace ascribe::core {

// sign, exponent, mantissa, from the high end on.
struct SmallFloat {
  int exponent_bits = 4, mantissa_bits = 3, bias = 7;
  bool is_signed = true;
  // What stands for infinity and NaN.
  enum class Special {
    none,       // every pattern is a number
    ieee,       // the largest exponent: infinity, and NaN with a mantissa
    all_ones,   // all bits but the sign: NaN; there is no infinity
    minus_zero  // only what would be -0: NaN
  } special = Special::ieee;
};

SmallFloat small_float_named(std::string_view element_type);  // "float8e4m3fn"; internal error if there is none

float small_to_float(const SmallFloat& format, int bits);

}  // namespace ascribe::core
