#include "game/sparse/player_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "game/sparse/bit_sums.h"

namespace ascribe::core {

namespace {

constexpr int64_t kWordPlayers = 64;

// Bit b of byte p becomes bit p of byte b.
uint64_t transposed(uint64_t square) {
  uint64_t swapped = (square ^ square >> 7) & 0x00AA00AA00AA00AA;
  square ^= swapped ^ swapped << 7;
  swapped = (square ^ square >> 14) & 0x0000CCCC0000CCCC;
  square ^= swapped ^ swapped << 14;
  swapped = (square ^ square >> 28) & 0x00000000F0F0F0F0;
  return square ^ swapped ^ swapped << 28;
}

}  // namespace

FixedValues::FixedValues(std::span<const double> numbers) : values(numbers.size()) {
  double largest = 0;
  for (const double one : numbers) largest = std::max(largest, std::abs(one));
  if (largest < 1e-290) return;  // its inverse would not be finite
  unit = largest / kMostAtOnce;
  const double scale = 1 / unit;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double scaled = numbers[i] * scale;
    values[i] = std::clamp(static_cast<int32_t>(scaled + std::copysign(0.5, scaled)), -kMostAtOnce, kMostAtOnce);
  }
}

double FixedValues::sum(std::span<const uint64_t> rows) const {
  int64_t total = 0;
  for_bits(rows, 0, [&](int64_t row) { total += values[static_cast<size_t>(row)]; });
  return unit * static_cast<double>(total);
}

PlayerSums::PlayerSums(const BitColumns& bits, std::span<const int> players)
    : players_(std::ssize(players)),
      rows_(bits.words() * 64),
      members_(static_cast<size_t>((players_ + kWordPlayers - 1) / kWordPlayers * rows_)) {
  parallel_for(bits.words(), 8, [&](int64_t begin, int64_t end) {
    for (int64_t word = begin; word < end; ++word) {
      for (int64_t first = 0; first < players_; first += 8) {
        const int64_t here = std::min<int64_t>(8, players_ - first);
        uint64_t* out = members_.data() + first / kWordPlayers * rows_ + word * 64;
        for (int64_t eight = 0; eight < 8; ++eight) {  // rows
          uint64_t square = 0;
          for (int64_t p = 0; p < here; ++p) {
            const auto column = bits.column(players[static_cast<size_t>(first + p)]);
            square |= (column[static_cast<size_t>(word)] >> 8 * eight & 0xFF) << 8 * p;
          }
          square = transposed(square);
          for (int64_t row = 0; row < 8; ++row) {
            out[eight * 8 + row] |= (square >> 8 * row & 0xFF) << first % kWordPlayers;
          }
        }
      }
    }
  });
}

void PlayerSums::over(std::span<const uint64_t> rows, const FixedValues& values, std::span<double> sums) const {
  const BitSums& add = bit_sums();
  for (int64_t first = 0; first < players_; first += kWordPlayers) {
    std::array<int64_t, kWordPlayers> totals{};
    for (size_t word = 0; word < rows.size(); word += kWordsAtOnce) {
      std::array<int32_t, kWordPlayers> some;
      const auto from = static_cast<int64_t>(word) * 64;
      add.of_members(rows.subspan(word, std::min<size_t>(kWordsAtOnce, rows.size() - word)),
                     members_.data() + first / kWordPlayers * rows_ + from, values.values.data() + from, some.data());
      for (size_t p = 0; p < totals.size(); ++p) totals[p] += some[p];
    }
    for (int64_t p = first; p < std::min(players_, first + kWordPlayers); ++p) {
      sums[static_cast<size_t>(p)] = values.unit * static_cast<double>(totals[static_cast<size_t>(p - first)]);
    }
  }
}

}  // namespace ascribe::core
