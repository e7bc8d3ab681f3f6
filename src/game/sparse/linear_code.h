// A set of few of many players, told by few parities: those of a BCH code. Player i has the column (a^i, a^3i, ...,
// a^(2t-1)i) of elements of the field of 2^q numbers, as q t bits; the sum of the columns of at most t players tells
// which they are (Berlekamp and Massey; roots by trial).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ascribe::core {

class LinearCode {
 public:
  static constexpr int kMostPlayers = 16383;
  LinearCode(int64_t players, int most_members);

  int parities() const { return bits_ * most_; }
  static int parities_for(int64_t players, int most_members);
  // Whether player i is counted by parity number p.
  bool counts(int64_t player, int parity) const {
    return (column_[static_cast<size_t>(player) * static_cast<size_t>(most_) + static_cast<size_t>(parity / bits_)] >>
                (parity % bits_) &
            1) != 0;
  }
  // The players whose parities these are, ascending; nothing if there is no such set of at most `most_members`.
  std::optional<std::vector<int>> decode(const std::vector<uint8_t>& parity) const;

 private:
  int times(int a, int b) const { return a == 0 || b == 0 ? 0 : power_[(log_[a] + log_[b]) % order_]; }
  int over(int a, int b) const { return a == 0 ? 0 : power_[(log_[a] + order_ - log_[b]) % order_]; }

  int64_t players_;
  int most_, bits_, order_;
  std::vector<int> power_, log_;
  std::vector<int> column_;  // [players, most]
};

}  // namespace ascribe::core
