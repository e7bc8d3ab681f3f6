#include "game/sparse/player_sums.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr int64_t kPlayers = 8;       // in a byte
constexpr size_t kSums = 256;         // of a byte
constexpr int64_t kGroupsAtOnce = 8;  // whose sums stay in the nearest cache

// Bit b of byte p becomes bit p of byte b.
uint64_t transposed(uint64_t square) {
  uint64_t swapped = (square ^ square >> 7) & 0x00AA00AA00AA00AA;
  square ^= swapped ^ swapped << 7;
  swapped = (square ^ square >> 14) & 0x0000CCCC0000CCCC;
  square ^= swapped ^ swapped << 14;
  swapped = (square ^ square >> 28) & 0x00000000F0F0F0F0;
  return square ^ swapped ^ swapped << 28;
}

using Sums = std::array<double, kSums>;

// Sums of those whose bit is set, from the highest bit down; halves are folded onto each other.
void fold(Sums& sums, double* out, int64_t players) {
  for (int64_t p = kPlayers - 1; p >= 0; --p) {
    const size_t half = size_t{1} << p;
    double present = 0;
    for (size_t i = 0; i < half; ++i) {
      present += sums[half + i];
      sums[i] += sums[half + i];
    }
    if (p < players) out[p] = present;
  }
}

}  // namespace

PlayerSums::PlayerSums(const BitColumns& bits, std::span<const int> players)
    : players_(std::ssize(players)),
      groups_((players_ + kPlayers * kGroupsAtOnce - 1) / (kPlayers * kGroupsAtOnce) * kGroupsAtOnce),
      bytes_(static_cast<size_t>(bits.words() * 64 * groups_)) {
  parallel_for(bits.words(), 8, [&](int64_t begin, int64_t end) {
    for (int64_t word = begin; word < end; ++word) {
      for (int64_t first = 0; first < players_; first += kPlayers) {
        const int64_t here = std::min(kPlayers, players_ - first);
        for (int64_t eight = 0; eight < 8; ++eight) {  // rows
          uint64_t square = 0;
          for (int64_t p = 0; p < here; ++p) {
            const auto column = bits.column(players[static_cast<size_t>(first + p)]);
            square |= (column[static_cast<size_t>(word)] >> 8 * eight & 0xFF) << 8 * p;
          }
          square = transposed(square);
          uint8_t* out = bytes_.data() + (word * 64 + eight * 8) * groups_ + first / kPlayers;
          for (int64_t row = 0; row < 8; ++row) out[row * groups_] = static_cast<uint8_t>(square >> 8 * row);
        }
      }
    }
  });
}

void PlayerSums::over(std::span<const uint64_t> rows, std::span<const double> values, std::span<double> sums) const {
  std::array<Sums, kGroupsAtOnce> tables;
  for (int64_t first = 0; first * kPlayers < players_; first += kGroupsAtOnce) {
    for (Sums& table : tables) table.fill(0);
    for_bits(rows, 0, [&](int64_t row) {
      const uint8_t* bytes = bytes_.data() + row * groups_ + first;
      const double value = values[static_cast<size_t>(row)];
      for (size_t g = 0; g < kGroupsAtOnce; ++g) tables[g][bytes[g]] += value;
    });
    for (int64_t g = 0; g < kGroupsAtOnce; ++g) {
      const int64_t from = (first + g) * kPlayers;
      if (from < players_) fold(tables[static_cast<size_t>(g)], sums.data() + from, players_ - from);
    }
  }
}

}  // namespace ascribe::core
