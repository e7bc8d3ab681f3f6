// Coalitions drawn for an estimate, and the values of a game at them. Coalitions are rows; the columns of the players,
// a bit for each row, are what the fits work with.
//   sizes   every share of present players alike: a set of k players is inside of one draw in k + 1
//   halves  every player is present with probability 1/2: one in 2^k
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "game/game.h"

namespace ascribe::core {

enum class DrawnBy { sizes, halves };

// Draws number `first` and following; a pure function of seed and stream.
Coalitions draw_coalitions(int64_t players, int64_t first, int64_t count, DrawnBy by, uint64_t seed, uint64_t stream);

// The game's values; refuses numbers that are not finite, or so large that their squares are not.
std::vector<double> finite_values(Game& game, const Coalitions& sets, const Progress& progress);

// The bits of coalitions, column by column.
class BitColumns {
 public:
  BitColumns(const Coalitions& sets, int64_t from, int64_t to);

  int64_t players() const { return players_; }
  int64_t rows() const { return rows_; }
  int64_t words() const { return words_; }
  std::span<const uint64_t> column(int64_t player) const {
    return std::span(bits_).subspan(static_cast<size_t>(player * words_), static_cast<size_t>(words_));
  }
  std::span<const int32_t> sizes() const { return sizes_; }  // players in each row
  // Rows in which all of a set are present, one of them is, or an odd number. All of the empty set are in every row.
  std::vector<uint64_t> all_of(std::span<const int> set) const;
  std::vector<uint64_t> one_of(std::span<const int> set) const;
  std::vector<uint64_t> odd_of(std::span<const int> set) const;

 private:
  int64_t players_, rows_, words_;
  std::vector<uint64_t> bits_;
  std::vector<int32_t> sizes_;
};

int64_t common_bits(std::span<const uint64_t> a, std::span<const uint64_t> b);

// f(row) for each bit that is set.
template <class F>
void for_bits(std::span<const uint64_t> bits, int64_t first_word, F&& f) {
  for (size_t w = 0; w < bits.size(); ++w) {
    for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
      f((first_word + static_cast<int64_t>(w)) * 64 + __builtin_ctzll(left));
    }
  }
}

}  // namespace ascribe::core
