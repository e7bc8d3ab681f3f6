#include "game/sparse/samples.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/finite.h"
#include "base/parallel.h"
#include "base/random.h"

namespace ascribe::core {

namespace {

// Squares of larger numbers, summed over the samples, would not be finite.
constexpr double kLargestValue = 1e140;
constexpr int kLevels = 8;  // binary places of a share of present players

// Words of random bits, one after the other.
class WordStream {
 public:
  WordStream(uint64_t seed, uint64_t stream, uint64_t first) : random_(seed, stream), next_(first) {}
  uint64_t operator()() {
    if (half_) {
      half_ = false;
      return spare_;
    }
    const auto block = random_.block(next_++);
    spare_ = block[2] | uint64_t{block[3]} << 32;
    half_ = true;
    return block[0] | uint64_t{block[1]} << 32;
  }

 private:
  Random random_;
  uint64_t next_, spare_ = 0;
  bool half_ = false;
};

// Bits that are 1 with probability share / 2^kLevels each: u < share, compared place by place from the lowest.
uint64_t biased_bits(uint32_t share, WordStream& words) {
  uint64_t below = 0;
  for (int place = 0; place < kLevels; ++place) {
    const uint64_t u = words();
    below = (share >> place & 1) != 0 ? (~u | below) : (~u & below);
  }
  return below;
}

int64_t counted(const uint64_t* a, const uint64_t* b, int64_t words) {
  int64_t count = 0;
  for (int64_t w = 0; w < words; ++w) count += std::popcount(a[w] & b[w]);
  return count;
}

[[gnu::target("popcnt")]] int64_t counted_with_popcnt(const uint64_t* a, const uint64_t* b, int64_t words) {
  int64_t count = 0;
  for (int64_t w = 0; w < words; ++w) count += __builtin_popcountll(a[w] & b[w]);
  return count;
}

const bool has_popcnt = __builtin_cpu_supports("popcnt") != 0;

}  // namespace

Coalitions draw_coalitions(int64_t players, int64_t first, int64_t count, DrawnBy by, uint64_t seed, uint64_t stream) {
  const int64_t words = (players + 63) / 64;
  const auto blocks = static_cast<uint64_t>(words * kLevels / 2 + 1);  // of random numbers, for each draw
  const uint64_t last = players % 64 == 0 ? ~uint64_t{0} : (uint64_t{1} << players % 64) - 1;
  std::vector<uint64_t> bits(static_cast<size_t>(count * words));
  parallel_for(count, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      WordStream random(seed, stream, static_cast<uint64_t>(first + i) * blocks);
      const auto share = static_cast<uint32_t>(random() % ((1U << kLevels) - 1)) + 1;
      for (int64_t w = 0; w < words; ++w) {
        const uint64_t drawn = by == DrawnBy::halves ? random() : biased_bits(share, random);
        bits[static_cast<size_t>(i * words + w)] = w + 1 == words ? drawn & last : drawn;
      }
    }
  });
  Coalitions sets(players);
  sets.add(std::span<const uint64_t>(bits));
  return sets;
}

std::vector<double> finite_values(Game& game, const Coalitions& sets, const Progress& progress) {
  std::vector<double> values = game.values(sets, progress);
  int64_t bad = 0;
  for (const double value : values) bad += std::isfinite(value) ? 0 : 1;
  if (bad > 0) {
    fail(ErrorKind::numeric, "estimate", "the game is not finite at {} of {} coalitions; got {}", bad, values.size(),
         number_in_words(
             *std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); })));
  }
  for (const double value : values) {
    if (std::abs(value) <= kLargestValue) continue;
    fail(ErrorKind::numeric, "estimate",
         "the game's values are too large to be fitted; got {:.3g}; expected at most {:g}", value, kLargestValue);
  }
  return values;
}

BitColumns::BitColumns(const Coalitions& sets, int64_t from, int64_t to)
    : players_(sets.players()),
      rows_(to - from),
      words_((rows_ + 63) / 64),
      bits_(static_cast<size_t>(players_ * words_)),
      sizes_(static_cast<size_t>(rows_)) {
  parallel_for(words_, 4, [&](int64_t begin, int64_t end) {
    std::vector<uint64_t> slice(static_cast<size_t>(players_));
    for (int64_t word = begin; word < end; ++word) {
      std::fill(slice.begin(), slice.end(), 0);
      for (int64_t row = word * 64; row < std::min(rows_, word * 64 + 64); ++row) {
        int32_t size = 0;
        for_bits(sets.words(from + row), 0, [&](int64_t player) {
          slice[static_cast<size_t>(player)] |= uint64_t{1} << (row - word * 64);
          ++size;
        });
        sizes_[static_cast<size_t>(row)] = size;
      }
      for (int64_t player = 0; player < players_; ++player) {
        bits_[static_cast<size_t>(player * words_ + word)] = slice[static_cast<size_t>(player)];
      }
    }
  });
}

std::vector<uint64_t> BitColumns::all_of(std::span<const int> set) const {
  std::vector<uint64_t> result(static_cast<size_t>(words_), ~uint64_t{0});
  if (rows_ % 64 != 0) result.back() = (uint64_t{1} << rows_ % 64) - 1;
  for (const int player : set) {
    const auto own = column(player);
    for (size_t w = 0; w < result.size(); ++w) result[w] &= own[w];
  }
  return result;
}

std::vector<uint64_t> BitColumns::one_of(std::span<const int> set) const {
  std::vector<uint64_t> result(static_cast<size_t>(words_));
  for (const int player : set) {
    const auto own = column(player);
    for (size_t w = 0; w < result.size(); ++w) result[w] |= own[w];
  }
  return result;
}

std::vector<uint64_t> BitColumns::odd_of(std::span<const int> set) const {
  std::vector<uint64_t> result(static_cast<size_t>(words_));
  for (const int player : set) {
    const auto own = column(player);
    for (size_t w = 0; w < result.size(); ++w) result[w] ^= own[w];
  }
  return result;
}

int64_t common_bits(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const auto words = std::ssize(a);
  return has_popcnt ? counted_with_popcnt(a.data(), b.data(), words) : counted(a.data(), b.data(), words);
}

}  // namespace ascribe::core
