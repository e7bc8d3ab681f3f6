#include "game/sparse/linear_code.h"

#include <bit>

namespace ascribe::core {

namespace {

// Primitive polynomials of degree 2 to 14.
constexpr int kPrimitive[] = {0,     0,     0x7,   0xB,   0x13,   0x25,   0x43,  0x89,
                              0x11D, 0x211, 0x409, 0x805, 0x1053, 0x201B, 0x4443};

int bits_for(int64_t players) {
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(players)));  // 2^bits - 1 >= players
  return bits < 2 ? 2 : bits;
}

}  // namespace

int LinearCode::parities_for(int64_t players, int most_members) { return bits_for(players) * most_members; }

LinearCode::LinearCode(int64_t players, int most_members)
    : players_(players), most_(most_members), bits_(bits_for(players)), order_((1 << bits_) - 1) {
  power_.resize(static_cast<size_t>(order_));
  log_.resize(static_cast<size_t>(order_) + 1);
  int value = 1;
  for (int i = 0; i < order_; ++i) {
    power_[static_cast<size_t>(i)] = value;
    log_[static_cast<size_t>(value)] = i;
    value <<= 1;
    if ((value >> bits_ & 1) != 0) value ^= kPrimitive[bits_];
  }
  for (int64_t player = 0; player < players; ++player) {
    for (int j = 0; j < most_; ++j) column_.push_back(power_[static_cast<size_t>(player * (2 * j + 1) % order_)]);
  }
}

std::optional<std::vector<int>> LinearCode::decode(const std::vector<uint8_t>& parity) const {
  const auto size = static_cast<size_t>(2 * most_);
  std::vector<int> syndrome(size + 1);  // sums of a^(i j) over the members i; 1 .. 2 t
  bool none = true;
  for (int j = 0; j < most_; ++j) {
    int value = 0;
    for (int b = 0; b < bits_; ++b) value |= parity[static_cast<size_t>(j * bits_ + b)] << b;
    syndrome[static_cast<size_t>(2 * j + 1)] = value;
    none = none && value == 0;
  }
  if (none) return std::vector<int>{};
  for (size_t j = 2; j <= size; j += 2) syndrome[j] = times(syndrome[j / 2], syndrome[j / 2]);
  // Berlekamp and Massey: the shortest recurrence of the syndromes.
  std::vector<int> locator(size + 2), before(size + 2);
  locator[0] = before[0] = 1;
  size_t length = 0, shift = 1;
  int last = 1;
  for (size_t n = 1; n <= size; ++n) {
    int off = syndrome[n];
    for (size_t i = 1; i <= length; ++i) off ^= times(locator[i], syndrome[n - i]);
    if (off == 0) {
      ++shift;
      continue;
    }
    const std::vector<int> kept = locator;
    const int factor = over(off, last);
    for (size_t i = 0; i + shift < locator.size(); ++i) locator[i + shift] ^= times(factor, before[i]);
    if (2 * length < n) {
      length = n - length;
      before = kept;
      last = off;
      shift = 1;
    } else {
      ++shift;
    }
  }
  if (length == 0 || length > static_cast<size_t>(most_)) return std::nullopt;
  std::vector<int> members;
  for (int64_t player = 0; player < players_; ++player) {
    const int inverse = static_cast<int>((order_ - player % order_) % order_);
    int value = 1, power = 0;
    for (size_t i = 1; i <= length; ++i) {
      power = (power + inverse) % order_;
      value ^= times(locator[i], power_[static_cast<size_t>(power)]);
    }
    if (value == 0) members.push_back(static_cast<int>(player));
  }
  if (members.size() != length) return std::nullopt;
  return members;
}

}  // namespace ascribe::core
