#include "game/subcubes.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/parallel.h"
#include "game/effect_stream.h"
#include "game/moebius.h"

namespace ascribe::core {

namespace {

// Enough subcubes for many machines, but few whose evaluation takes less time than writing them.
constexpr int kFewLast = 6, kMostLast = 10, kUsualPlayers = 16;
constexpr int64_t kSetsPerPiece = int64_t{1} << 16;  // that are listed at a time

int64_t block_of(const Subcubes& subcubes) { return std::min(subcubes.size(), int64_t{1} << kBlockPlayers); }

}  // namespace

Subcubes subcubes_of(int players) {
  require(players >= 0 && players <= kMostSharedPlayers, "subcubes", "too many players");
  const int least = std::clamp(players - kBlockPlayers, 0, kFewLast);
  return {players, std::clamp(players - kUsualPlayers, least, kMostLast)};
}

Subcube evaluate_subcube(Game& game, const Subcubes& subcubes, int64_t number, const Progress& progress) {
  require(game.players() == subcubes.players && number >= 0 && number < subcubes.count(), "subcubes",
          "there is no such subcube of this game");
  const int64_t size = subcubes.size();
  Subcube result;
  result.values.reserve(static_cast<size_t>(size));
  for (int64_t first = 0; first < size; first += kSetsPerPiece) {
    Coalitions sets(subcubes.players);
    const int64_t end = std::min(size, first + kSetsPerPiece);
    for (int64_t i = first; i < end; ++i) sets.add(static_cast<uint64_t>(number * size + i));
    const std::vector<double> values = game.values(
        sets, [&](std::string_view task, int64_t done, int64_t) { report(progress, task, first + done, size); });
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  result.first_value = result.values.front();
  result.last_value = result.values.back();
  moebius_transform(result.values);
  return result;
}

size_t least_memory_to_join(const Subcubes& subcubes) {
  return static_cast<size_t>(subcubes.count() * block_of(subcubes)) * sizeof(double);
}

void join_subcubes(const Subcubes& subcubes, const ReadSubcube& read, size_t memory, const TakeDividends& take,
                   const Progress& progress) {
  require(subcubes.last == 0 || subcubes.players - subcubes.last >= kBlockPlayers, "subcubes",
          "subcubes are smaller than a block");
  const auto affordable =
      std::bit_floor(std::max<size_t>(memory / sizeof(double), 1)) / static_cast<size_t>(subcubes.count());
  const int64_t stretch = std::clamp(static_cast<int64_t>(affordable), block_of(subcubes), subcubes.size());
  std::vector<double> values(static_cast<size_t>(subcubes.count() * stretch));
  const auto part_of = [&](int64_t number) {
    return std::span(values).subspan(static_cast<size_t>(number * stretch), static_cast<size_t>(stretch));
  };
  for (int64_t first = 0; first < subcubes.size(); first += stretch) {
    report(progress, "effects", first, subcubes.size());
    parallel_for(subcubes.count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t number = begin; number < end; ++number) read(number, first, part_of(number));
    });
    moebius_transform_from(values, std::countr_zero(static_cast<uint64_t>(stretch)));
    for (int64_t number = 0; number < subcubes.count(); ++number) {
      take(static_cast<uint64_t>(number * subcubes.size() + first), part_of(number));
    }
  }
  report(progress, "effects", subcubes.size(), subcubes.size());
}

}  // namespace ascribe::core
