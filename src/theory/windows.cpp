#include "theory/windows.h"

#include <algorithm>
#include <map>

namespace ascribe::core {

namespace {

struct Grid {
  int64_t height, width, channels;
};

Grid grid_of(const Players& players) {
  if (!players.image) return {1, std::ssize(players.owner), 1};
  return {players.image->height, players.image->width, players.image->channels};
}

int32_t owner_at(const Players& players, int64_t channel, int64_t y, int64_t x) {
  return players.owner[static_cast<size_t>(players.image ? element_of(*players.image, channel, y, x) : x)];
}

// Where windows begin along an axis.
std::vector<int64_t> beginnings(int64_t extent, int64_t size, int64_t stride) {
  std::vector<int64_t> found = {0};
  while (found.back() + size < extent) found.push_back(found.back() + stride);
  return found;
}

// How many elements of each player the window covers.
std::map<int32_t, int64_t> covered(const Players& players, const Grid& grid, int64_t top, int64_t left, int64_t size) {
  std::map<int32_t, int64_t> counts;
  const int64_t height = grid.height == 1 ? 1 : size;
  for (int64_t y = top; y < std::min(top + height, grid.height); ++y) {
    for (int64_t x = left; x < std::min(left + size, grid.width); ++x) {
      for (int64_t c = 0; c < grid.channels; ++c) ++counts[owner_at(players, c, y, x)];
    }
  }
  counts.erase(-1);
  return counts;
}

}  // namespace

std::optional<std::vector<std::vector<int>>> player_windows(const Players& players, int64_t size, int64_t stride) {
  const Grid grid = grid_of(players);
  std::vector<int64_t> elements(static_cast<size_t>(players.count()));
  for (const int32_t owner : players.owner) {
    if (owner >= 0) ++elements[static_cast<size_t>(owner)];
  }
  std::vector<std::vector<int>> windows;
  for (const int64_t top : beginnings(grid.height, grid.height == 1 ? 1 : size, stride)) {
    for (const int64_t left : beginnings(grid.width, size, stride)) {
      std::vector<int> window;
      for (const auto& [player, count] : covered(players, grid, top, left, size)) {
        if (count != elements[static_cast<size_t>(player)]) return std::nullopt;
        window.push_back(player);
      }
      windows.push_back(std::move(window));
    }
  }
  return windows;
}

std::optional<int64_t> fitting_window(const Players& players, int64_t least) {
  const Grid grid = grid_of(players);
  for (int64_t size = least; size < std::max(grid.height, grid.width); ++size) {
    const auto windows = player_windows(players, size, size);
    if (!windows || windows->size() < 2) continue;
    if (std::any_of(windows->begin(), windows->end(), [](const auto& w) { return w.size() > 1; })) return size;
  }
  return std::nullopt;
}

}  // namespace ascribe::core
