#include "game/superpixels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"

namespace ascribe::core {

namespace {

struct Centre {
  double y = 0, x = 0;
  std::vector<double> value;
};

class Slic {
 public:
  Slic(std::span<const double> values, int64_t height, int64_t width, int64_t channels, const SuperpixelOptions& o)
      : values_(values), height_(height), width_(width), channels_(channels), options_(o) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double range = *high - *low;
    scale_ = range > 0 ? 100 / range : 0;
  }

  std::vector<int32_t> run() {
    place_centres();
    for (int i = 0; i < options_.iterations; ++i) {
      assign();
      move_centres();
    }
    assign();
    return label_;
  }

 private:
  double value(int64_t y, int64_t x, int64_t c) const { return values_[(y * width_ + x) * channels_ + c] * scale_; }

  // On a grid of at most `count` cells whose proportions are the image's.
  void place_centres() {
    const double ratio = static_cast<double>(height_) / static_cast<double>(width_);
    const auto wanted = std::llround(std::sqrt(static_cast<double>(options_.count) * ratio));
    const int64_t rows = std::clamp<int64_t>(wanted, 1, std::min(options_.count, height_));
    const int64_t columns = std::clamp<int64_t>(options_.count / rows, 1, width_);
    step_ = std::sqrt(static_cast<double>(height_ * width_) / static_cast<double>(rows * columns));
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t y = (2 * r + 1) * height_ / (2 * rows), x = (2 * c + 1) * width_ / (2 * columns);
        centres_.push_back(centre_at(flattest_near(y, x)));
      }
    }
  }

  // The place among the 3 x 3 around with the smallest gradient, so that no centre begins on an edge.
  std::pair<int64_t, int64_t> flattest_near(int64_t y, int64_t x) const {
    std::pair<int64_t, int64_t> best{y, x};
    double least = std::numeric_limits<double>::infinity();
    for (int64_t v = std::max<int64_t>(y - 1, 0); v <= std::min(y + 1, height_ - 1); ++v) {
      for (int64_t u = std::max<int64_t>(x - 1, 0); u <= std::min(x + 1, width_ - 1); ++u) {
        const double steepness = gradient(v, u);
        if (steepness < least) least = steepness, best = {v, u};
      }
    }
    return best;
  }

  double gradient(int64_t y, int64_t x) const {
    double sum = 0;
    for (int64_t c = 0; c < channels_; ++c) {
      const double dx = value(y, std::min(x + 1, width_ - 1), c) - value(y, std::max<int64_t>(x - 1, 0), c);
      const double dy = value(std::min(y + 1, height_ - 1), x, c) - value(std::max<int64_t>(y - 1, 0), x, c);
      sum += dx * dx + dy * dy;
    }
    return sum;
  }

  Centre centre_at(std::pair<int64_t, int64_t> place) const {
    Centre centre{static_cast<double>(place.first), static_cast<double>(place.second), {}};
    for (int64_t c = 0; c < channels_; ++c) centre.value.push_back(value(place.first, place.second, c));
    return centre;
  }

  void assign() {
    std::vector<double> nearest(static_cast<size_t>(height_ * width_), std::numeric_limits<double>::infinity());
    label_.assign(nearest.size(), -1);
    const auto reach = static_cast<int64_t>(std::ceil(2 * step_));
    for (size_t k = 0; k < centres_.size(); ++k) {
      const auto cy = std::llround(centres_[k].y), cx = std::llround(centres_[k].x);
      for (int64_t y = std::max<int64_t>(cy - reach, 0); y <= std::min<int64_t>(cy + reach, height_ - 1); ++y) {
        for (int64_t x = std::max<int64_t>(cx - reach, 0); x <= std::min<int64_t>(cx + reach, width_ - 1); ++x) {
          const auto pixel = static_cast<size_t>(y * width_ + x);
          const double d = distance(centres_[k], y, x);
          if (d < nearest[pixel]) nearest[pixel] = d, label_[pixel] = static_cast<int32_t>(k);
        }
      }
    }
    adopt_strays();
  }

  // A pixel that no centre reaches any more goes to the nearest.
  void adopt_strays() {
    for (int64_t i = 0; i < height_ * width_; ++i) {
      auto& label = label_[static_cast<size_t>(i)];
      if (label >= 0) continue;
      double least = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < centres_.size(); ++k) {
        const double d = distance(centres_[k], i / width_, i % width_);
        if (d < least) least = d, label = static_cast<int32_t>(k);
      }
    }
  }

  double distance(const Centre& centre, int64_t y, int64_t x) const {
    double sum = 0;
    for (int64_t c = 0; c < channels_; ++c) {
      const double difference = value(y, x, c) - centre.value[static_cast<size_t>(c)];
      sum += difference * difference;
    }
    const double dy = static_cast<double>(y) - centre.y, dx = static_cast<double>(x) - centre.x;
    const double weight = options_.compactness / step_;
    return sum + weight * weight * (dy * dy + dx * dx);
  }

  void move_centres() {
    std::vector<Centre> sums(centres_.size(), Centre{0, 0, std::vector<double>(static_cast<size_t>(channels_), 0.0)});
    std::vector<int64_t> counts(centres_.size(), 0);
    for (int64_t y = 0; y < height_; ++y) {
      for (int64_t x = 0; x < width_; ++x) {
        const auto k = static_cast<size_t>(label_[static_cast<size_t>(y * width_ + x)]);
        ++counts[k];
        sums[k].y += static_cast<double>(y);
        sums[k].x += static_cast<double>(x);
        for (int64_t c = 0; c < channels_; ++c) sums[k].value[static_cast<size_t>(c)] += value(y, x, c);
      }
    }
    for (size_t k = 0; k < centres_.size(); ++k) {
      if (counts[k] == 0) continue;
      const auto count = static_cast<double>(counts[k]);
      centres_[k].y = sums[k].y / count;
      centres_[k].x = sums[k].x / count;
      for (size_t c = 0; c < sums[k].value.size(); ++c) centres_[k].value[c] = sums[k].value[c] / count;
    }
  }

  std::span<const double> values_;
  int64_t height_, width_, channels_;
  SuperpixelOptions options_;
  double scale_ = 1, step_ = 1;
  std::vector<Centre> centres_;
  std::vector<int32_t> label_;
};

// Connected pieces of equal labels, and their merging.
class Pieces {
 public:
  Pieces(const std::vector<int32_t>& label, int64_t height, int64_t width)
      : height_(height), width_(width), piece_(label.size(), -1) {
    for (size_t start = 0; start < label.size(); ++start) {
      if (piece_[start] < 0) flood(label, start);
    }
    count_borders();
  }

  // Joins the smallest piece to its neighbour of the longest border until none is smaller than `least` and there
  // are at most `most`.
  void merge(int64_t least, int64_t most) {
    int64_t alive = std::ssize(size_);
    while (alive > 1) {
      const size_t small = smallest();
      if (size_[small] >= least && alive <= most) return;
      join(small, neighbour_of(small));
      --alive;
    }
  }

  Superpixels result() const {
    Superpixels pixels;
    std::vector<int32_t> number(size_.size(), -1);
    for (const int32_t first : piece_) {
      const size_t root = root_of(static_cast<size_t>(first));
      if (number[root] < 0) number[root] = static_cast<int32_t>(pixels.count++);
      pixels.label.push_back(number[root]);
    }
    return pixels;
  }

 private:
  template <class F>
  void for_neighbours(size_t pixel, F&& f) const {
    const auto y = static_cast<int64_t>(pixel) / width_, x = static_cast<int64_t>(pixel) % width_;
    if (x + 1 < width_) f(pixel + 1);
    if (y + 1 < height_) f(pixel + static_cast<size_t>(width_));
    if (x > 0) f(pixel - 1);
    if (y > 0) f(pixel - static_cast<size_t>(width_));
  }

  void flood(const std::vector<int32_t>& label, size_t start) {
    const auto piece = static_cast<int32_t>(size_.size());
    std::vector<size_t> open = {start};
    piece_[start] = piece;
    int64_t size = 0;
    while (!open.empty()) {
      const size_t pixel = open.back();
      open.pop_back();
      ++size;
      for_neighbours(pixel, [&](size_t next) {
        if (piece_[next] >= 0 || label[next] != label[start]) return;
        piece_[next] = piece;
        open.push_back(next);
      });
    }
    size_.push_back(size);
    joined_.push_back(static_cast<size_t>(piece));
  }

  void count_borders() {
    borders_.resize(size_.size());
    for (size_t pixel = 0; pixel < piece_.size(); ++pixel) {
      for_neighbours(pixel, [&](size_t next) {
        if (piece_[pixel] != piece_[next])
          ++borders_[static_cast<size_t>(piece_[pixel])][static_cast<size_t>(piece_[next])];
      });
    }
    for (size_t i = 0; i < size_.size(); ++i) by_size_.insert({size_[i], i});
  }

  size_t smallest() const { return by_size_.begin()->second; }

  size_t neighbour_of(size_t piece) const {
    const auto& around = borders_[piece];
    return std::max_element(around.begin(), around.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  void join(size_t piece, size_t into) {
    by_size_.erase({size_[piece], piece});
    by_size_.erase({size_[into], into});
    size_[into] += size_[piece];
    by_size_.insert({size_[into], into});
    joined_[piece] = into;
    for (const auto& [next, length] : borders_[piece]) {
      borders_[next].erase(piece);
      if (next == into) continue;
      borders_[next][into] += length;
      borders_[into][next] += length;
    }
    borders_[piece].clear();
  }

  size_t root_of(size_t piece) const {
    while (joined_[piece] != piece) piece = joined_[piece];
    return piece;
  }

  int64_t height_, width_;
  std::vector<int32_t> piece_;
  std::vector<int64_t> size_;
  std::vector<size_t> joined_;
  std::vector<std::map<size_t, int64_t>> borders_;
  std::set<std::pair<int64_t, size_t>> by_size_;
};

}  // namespace

Superpixels superpixels(std::span<const double> values, int64_t height, int64_t width, int64_t channels,
                        const SuperpixelOptions& options) {
  require(height > 0 && width > 0 && std::ssize(values) == height * width * channels, "superpixels",
          "the values do not fit the image");
  require(options.count >= 1 && options.count <= height * width, "superpixels", "the count does not fit the image");
  Pieces pieces(Slic(values, height, width, channels, options).run(), height, width);
  pieces.merge(std::max<int64_t>(1, height * width / options.count / 4), options.count);
  return pieces.result();
}

}  // namespace ascribe::core
