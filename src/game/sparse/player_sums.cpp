#include "game/sparse/player_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "game/sparse/bit_sums.h"

namespace ascribe::core {

namespace {

constexpr int64_t kWordPlayers = 64;
constexpr int64_t kNibbles = 16;  // of a word
constexpr double kLargest = 127;

// Nibble b of word p becomes nibble p of word b: halves, quarters, ... change places.
void transpose(std::array<uint64_t, kNibbles>& square) {
  uint64_t low = 0x00000000FFFFFFFF;
  for (size_t apart = 8; apart > 0; apart /= 2, low ^= low << 4 * apart) {
    for (size_t i = 0; i < square.size(); i = (i + apart + 1) & ~apart) {
      const uint64_t swapped = (square[i] >> 4 * apart ^ square[i + apart]) & low;
      square[i] ^= swapped << 4 * apart;
      square[i + apart] ^= swapped;
    }
  }
}

double largest_of(std::span<const double> numbers) {
  double largest = 0;
#pragma omp simd reduction(max : largest)
  for (size_t i = 0; i < numbers.size(); ++i) largest = std::max(largest, std::abs(numbers[i]));
  return largest;
}

}  // namespace

FixedValues::FixedValues(std::span<const double> numbers) : FixedValues(numbers, largest_of(numbers)) {}

FixedValues::FixedValues(std::span<const double> numbers, double largest) : values((numbers.size() + 63) / 64 * 64) {
  if (largest < 1e-290) return;  // its inverse would not be finite
  unit = largest * std::max(1 / kLargest, static_cast<double>(numbers.size()) * 0x1p-30);
  bit_sums().rounded(numbers, 1 / unit, values.data());
}

double FixedValues::sum(std::span<const uint64_t> rows) const {
  return unit * static_cast<double>(bit_sums().sum_of_bytes(rows, values.data()));
}

PlayerSums::PlayerSums(const BitColumns& bits, std::span<const int> players)
    : players_(std::ssize(players)),
      words_(bits.words()),
      members_(static_cast<size_t>((players_ + kWordPlayers - 1) / kWordPlayers * words_ * 64)) {
  parallel_for(words_, 8, [&](int64_t begin, int64_t end) {
    for (int64_t word = begin; word < end; ++word) {
      for (int64_t first = 0; first < players_; first += kNibbles) {
        std::array<uint64_t, kNibbles> square{};  // of 16 players; then of 16 fours of rows
        for (int64_t p = first; p < std::min(players_, first + kNibbles); ++p) {
          square[static_cast<size_t>(p - first)] =
              bits.column(players[static_cast<size_t>(p)])[static_cast<size_t>(word)];
        }
        transpose(square);
        uint64_t* out = members_.data() + (first / kWordPlayers * words_ + word) * 64 + first % kWordPlayers / kNibbles;
        for (size_t four = 0; four < square.size(); ++four) out[four * 4] = square[four];
      }
    }
  });
}

void PlayerSums::over(std::span<const uint64_t> rows, const FixedValues& values, std::span<double> sums) const {
  for (int64_t first = 0; first < players_; first += kWordPlayers) {
    std::array<int32_t, kWordPlayers> own;
    bit_sums().of_members(rows, members_.data() + first * words_, values.values.data(), own.data());
    for (int64_t p = first; p < std::min(players_, first + kWordPlayers); ++p) {
      sums[static_cast<size_t>(p)] = values.unit * own[static_cast<size_t>(p - first)];
    }
  }
}

}  // namespace ascribe::core
