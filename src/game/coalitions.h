// A batch of coalitions: sets of players, as bits. Any number of players.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

class Coalitions {
 public:
  explicit Coalitions(int64_t players) : players_(players), words_per_(std::max<int64_t>(1, (players + 63) / 64)) {}

  // All 2^players sets; set number c holds player p if bit p of c is set.
  static Coalitions all(int64_t players);

  void add(uint64_t bits) {  // of the first 64 players
    words_.push_back(bits);
    words_.resize(words_.size() + static_cast<size_t>(words_per_) - 1, 0);
  }
  void add(std::span<const int64_t> members) {
    const size_t first = words_.size();
    words_.resize(first + static_cast<size_t>(words_per_), 0);
    for (const int64_t p : members) words_[first + static_cast<size_t>(p / 64)] |= uint64_t{1} << (p % 64);
  }
  void add(std::span<const uint64_t> words) { words_.insert(words_.end(), words.begin(), words.end()); }

  int64_t players() const { return players_; }
  int64_t size() const { return static_cast<int64_t>(words_.size()) / words_per_; }
  int64_t words_per_set() const { return words_per_; }
  std::span<const uint64_t> words(int64_t set) const {
    return std::span(words_).subspan(static_cast<size_t>(set * words_per_), static_cast<size_t>(words_per_));
  }
  bool has(int64_t set, int64_t player) const {
    return (words_[static_cast<size_t>(set * words_per_ + player / 64)] >> (player % 64) & 1) != 0;
  }

 private:
  int64_t players_, words_per_;
  std::vector<uint64_t> words_;
};

}  // namespace ascribe::core
