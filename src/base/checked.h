// Integer arithmetic that refuses to overflow: sizes come from hostile files.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace ascribe::core {

inline int64_t checked_multiply(int64_t a, int64_t b, std::string_view where) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    fail(ErrorKind::model, where, "a size overflows 64 bits; got {} * {}", a, b);
  return result;
}

inline int64_t checked_add(int64_t a, int64_t b, std::string_view where) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result))
    fail(ErrorKind::model, where, "a size overflows 64 bits; got {} + {}", a, b);
  return result;
}

inline int64_t checked_subtract(int64_t a, int64_t b, std::string_view where) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result))
    fail(ErrorKind::model, where, "a size overflows 64 bits; got {} - {}", a, b);
  return result;
}

}  // namespace ascribe::core
