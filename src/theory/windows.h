// The windows of occlusion_patch as sets of players, which is what its allocation rule knows them by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "game/players.h"

namespace ascribe::core {

// Windows of size x size pixels, or of `size` elements if the row is not an image, beginning at 0, stride, 2 stride,
// ...; the last one is cut off at the edge. Nothing if a window cuts through a player: no rule over players holds then.
std::optional<std::vector<std::vector<int>>> player_windows(const Players& players, int64_t size, int64_t stride);

// The smallest size from `least` on whose windows, side by side, hold whole players and not all of them single ones.
std::optional<int64_t> fitting_window(const Players& players, int64_t least);

}  // namespace ascribe::core
