#include "cli/terminal_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "draw/diverging.h"

namespace ascribe::core::cli {

namespace {

constexpr int64_t kMostSide = 32;  // pixels of the longer side: half as many lines
constexpr int64_t kGap = 2;
constexpr int64_t kUsualColumns = 80;

// The mean over blocks, so that an image of any size fits.
struct Shrunk {
  int64_t height = 0, width = 0;
  std::vector<double> values;

  double at(int64_t y, int64_t x) const { return y < height ? values[static_cast<size_t>(y * width + x)] : 0.0; }
};

Shrunk shrunk(const PixelValues& values, int64_t height, int64_t width) {
  const int64_t block = (std::max(height, width) + kMostSide - 1) / kMostSide;
  Shrunk small{(height + block - 1) / block, (width + block - 1) / block, {}};
  for (int64_t top = 0; top < height; top += block) {
    for (int64_t left = 0; left < width; left += block) {
      double sum = 0;
      int64_t count = 0;
      for (int64_t y = top; y < std::min(top + block, height); ++y) {
        for (int64_t x = left; x < std::min(left + block, width); ++x, ++count) {
          sum += values[static_cast<size_t>(y * width + x)].value_or(0);
        }
      }
      small.values.push_back(sum / static_cast<double>(count));
    }
  }
  return small;
}

std::string channels(double value, double limit) {
  const Rgb color = diverging(limit > 0 ? value / limit : 0);
  return fmt::format("{:.0f};{:.0f};{:.0f}", color[0], color[1], color[2]);
}

// The upper half of a block in one colour on another: two pixels.
std::string map_line(const Shrunk& map, int64_t y, double limit) {
  std::string text;
  for (int64_t x = 0; x < map.width; ++x) {
    text += fmt::format("\x1b[38;2;{}m\x1b[48;2;{}m\xe2\x96\x80", channels(map.at(y, x), limit),
                        channels(map.at(y + 1, x), limit));
  }
  return text + "\x1b[0m";
}

// Cut or filled up to the width.
std::string fitted(const std::string& text, int64_t width) { return fmt::format("{:<{}.{}}", text, width, width); }

}  // namespace

std::vector<std::string> terminal_maps(const std::vector<TerminalMap>& maps, int64_t height, int64_t width,
                                       int64_t columns) {
  std::vector<Shrunk> small;
  std::vector<double> limits;
  for (const TerminalMap& map : maps) {
    small.push_back(shrunk(map.values, height, width));
    const PixelValues shown(small.back().values.begin(), small.back().values.end());
    limits.push_back(robust_limit(shown));
  }
  if (small.empty()) return {};
  const int64_t across = std::max<int64_t>(1, (columns + kGap) / (small[0].width + kGap));
  std::vector<std::string> lines;
  for (int64_t first = 0; first < std::ssize(maps); first += across) {
    const int64_t last = std::min(first + across, std::ssize(maps));
    for (int64_t y = 0; y < small[0].height; y += 2) {
      std::string line;
      for (int64_t i = first; i < last; ++i) {
        const auto at = static_cast<size_t>(i);
        line += map_line(small[at], y, limits[at]) + std::string(i + 1 < last ? kGap : 0, ' ');
      }
      lines.push_back(std::move(line));
    }
    std::string titles;
    for (int64_t i = first; i < last; ++i) {
      titles += fitted(maps[static_cast<size_t>(i)].title, small[0].width) + std::string(kGap, ' ');
    }
    titles.erase(titles.find_last_not_of(' ') + 1);
    lines.push_back(std::move(titles));
  }
  return lines;
}

int64_t colored_columns() {
  const char* forbidden = std::getenv("NO_COLOR");
  if (::isatty(STDOUT_FILENO) != 1 || (forbidden != nullptr && *forbidden != '\0')) return 0;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

}  // namespace ascribe::core::cli
