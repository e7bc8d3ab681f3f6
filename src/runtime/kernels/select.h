// Choices between numbers without branches, so that loops over them become vector instructions: which way a
// gradient goes is as good as random, and a processor that guesses is wrong half of the time.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ascribe::core {

// x if kept, otherwise 0.
template <class T>
T keep_if(bool kept, T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) & (Bits{0} - static_cast<Bits>(kept)));
}

template <class T>
T select(bool first, T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<Bits>(keep_if(first, a)) | std::bit_cast<Bits>(keep_if(!first, b)));
}

}  // namespace ascribe::core
