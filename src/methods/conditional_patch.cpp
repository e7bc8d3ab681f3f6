#include "methods/conditional_patch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "tensor/symmetric_matrix.h"

namespace ascribe::core {

namespace {

constexpr std::string_view kWhere = "prediction_difference";
constexpr int64_t kLeastRows = 10;
constexpr double kFloor = 1e-6;  // of the mean variance: pixels that never change would make the matrix singular

}  // namespace

ConditionalPatch::ConditionalPatch(const Players& players, const Tensor& rows, int64_t context, double shrinkage)
    : size_(std::ssize(players.owner)), rows_(rows.size() / size_), shrinkage_(shrinkage) {
  if (!players.plane()) {
    fail(ErrorKind::argument, kWhere,
         "distribution=conditional needs an image or a series; the rows of {} elements are neither", size_);
  }
  if (rows_ < kLeastRows) {
    fail(ErrorKind::argument, kWhere,
         "distribution=conditional is fitted on the baselines; got {} rows; expected at least {}, for example by "
         "`baseline` data:FILE",
         rows_, kLeastRows);
  }
  const auto data = rows.data<double>();
  mean_.resize(static_cast<size_t>(size_));
  variance_ = mean_;
  deviations_.resize(data.size());
  const double scale = 1 / std::sqrt(static_cast<double>(rows_ - 1));
  for (int64_t i = 0; i < size_; ++i) {
    for (int64_t r = 0; r < rows_; ++r) mean_[i] += data[r * size_ + i] / static_cast<double>(rows_);
    for (int64_t r = 0; r < rows_; ++r) {
      const double deviation = (data[r * size_ + i] - mean_[i]) * scale;
      deviations_[i * rows_ + r] = deviation;
      variance_[i] += deviation * deviation;
    }
  }
  const double mean_variance = std::accumulate(variance_.begin(), variance_.end(), 0.0) / static_cast<double>(size_);
  floor_ = std::max(kFloor * mean_variance, 1e-300);
  std::vector<std::vector<int64_t>> owned(static_cast<size_t>(players.count()));
  for (int64_t i = 0; i < size_; ++i) {
    if (players.owner[static_cast<size_t>(i)] >= 0)
      owned[static_cast<size_t>(players.owner[static_cast<size_t>(i)])].push_back(i);
  }
  patches_.resize(owned.size());
  parallel_for(std::ssize(owned), 8, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) patches_[p] = patch_of(std::move(owned[p]), *players.plane(), context);
  });
}

double ConditionalPatch::covariance(int64_t i, int64_t j) const {
  if (i == j) return variance_[i] + floor_;
  const double *a = deviations_.data() + i * rows_, *b = deviations_.data() + j * rows_;
  return (1 - shrinkage_) * std::inner_product(a, a + rows_, b, 0.0);
}

ConditionalPatch::Patch ConditionalPatch::patch_of(std::vector<int64_t> own, const ImageShape& image,
                                                   int64_t context) const {
  Patch patch{std::move(own), {}, {}};
  const bool planes = image.layout == PixelLayout::chw;
  const auto pixel_of = [&](int64_t i) { return planes ? i % (image.height * image.width) : i / image.channels; };
  int64_t top = image.height, bottom = -1, left = image.width, right = -1;
  for (const int64_t i : patch.own) {
    const int64_t y = pixel_of(i) / image.width, x = pixel_of(i) % image.width;
    top = std::min(top, y), bottom = std::max(bottom, y), left = std::min(left, x), right = std::max(right, x);
  }
  for (int64_t y = std::max<int64_t>(0, top - context); y <= std::min(image.height - 1, bottom + context); ++y) {
    for (int64_t x = std::max<int64_t>(0, left - context); x <= std::min(image.width - 1, right + context); ++x) {
      for (int64_t c = 0; c < image.channels; ++c) {
        const int64_t i = element_of(image, c, y, x);
        if (!std::binary_search(patch.own.begin(), patch.own.end(), i)) patch.around.push_back(i);
      }
    }
  }
  const auto count = std::ssize(patch.around);
  SymmetricMatrix around(count);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j <= i; ++j) around.row(i)[j] = covariance(patch.around[i], patch.around[j]);
  }
  around.mirror();
  const auto inverse = around.inverse();
  if (!inverse)
    fail(ErrorKind::numeric, kWhere, "no Gaussian can be fitted to the background rows; a larger shrinkage may help");
  for (const int64_t i : patch.own) {
    std::vector<double> cross;
    for (const int64_t j : patch.around) cross.push_back(covariance(i, j));
    const std::vector<double> gains = inverse->times(cross);
    patch.gains.insert(patch.gains.end(), gains.begin(), gains.end());
  }
  return patch;
}

// A draw with the shrunk covariance: the rows' deviations mixed at random, and independent noise.
std::vector<double> ConditionalPatch::unconditional(uint64_t seed, int64_t sample) const {
  const Random mixing(seed, 2 * static_cast<uint64_t>(sample)), noise(seed, 2 * static_cast<uint64_t>(sample) + 1);
  std::vector<double> weights;
  for (int64_t r = 0; r < rows_; ++r) {
    weights.push_back(std::sqrt(1 - shrinkage_) * mixing.normal(static_cast<uint64_t>(r)));
  }
  std::vector<double> z(static_cast<size_t>(size_));
  parallel_for(size_, 256, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double* deviations = deviations_.data() + i * rows_;
      z[i] = mean_[i] + std::inner_product(deviations, deviations + rows_, weights.begin(), 0.0) +
             std::sqrt(shrinkage_ * variance_[i] + floor_) * noise.normal(static_cast<uint64_t>(i));
    }
  });
  return z;
}

std::vector<double> ConditionalPatch::draw(std::span<const double> x, uint64_t seed, int64_t sample) const {
  const std::vector<double> z = unconditional(seed, sample);
  std::vector<double> row(x.begin(), x.end());
  for (const Patch& patch : patches_) {
    const double* gains = patch.gains.data();
    for (const int64_t i : patch.own) {
      row[i] = z[i];
      for (const int64_t j : patch.around) row[i] += *gains++ * (x[j] - z[j]);
    }
  }
  return row;
}

}  // namespace ascribe::core
