#include "game/estimators/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/random.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kSizes = 1, kMembers = 2;  // streams of random numbers

// A vector with few entries, by place.
struct Sparse {
  std::vector<int> places;
  std::vector<double> values;
};

// The sum of u u' over vectors; every row of it by one thread.
SymmetricMatrix sum_of_squares(const std::vector<Sparse>& vectors, int64_t size) {
  SymmetricMatrix sum(size);
  parallel_for(size, 16, [&](int64_t begin, int64_t end) {
    for (const Sparse& u : vectors) {
      const auto first = std::lower_bound(u.places.begin(), u.places.end(), begin) - u.places.begin();
      for (auto i = static_cast<size_t>(first); i < u.places.size() && u.places[i] < end; ++i) {
        double* row = sum.row(u.places[i]);
        for (size_t j = 0; j <= i; ++j) row[u.places[j]] += u.values[i] * u.values[j];
      }
    }
  });
  sum.mirror();
  return sum;
}

double total_weight(const Design& design) { return std::accumulate(design.weights.begin(), design.weights.end(), 0.0); }

// The weighted mean of the rows' squares.
SymmetricMatrix normal_matrix(const Design& design) {
  std::vector<Sparse> features;
  for (size_t r = 0; r < design.rows.size(); ++r) {
    features.push_back({design.rows[r], std::vector<double>(design.rows[r].size(), std::sqrt(design.weights[r]))});
  }
  SymmetricMatrix matrix = sum_of_squares(features, design.unknowns);
  const double scale = 1 / total_weight(design);
  for (int64_t i = 0; i < design.unknowns; ++i) {
    for (int64_t j = 0; j < design.unknowns; ++j) matrix.row(i)[j] *= scale;
  }
  return matrix;
}

}  // namespace

// The constraint is one more row, whose residual is zero anyway: it makes the matrix regular where only the constraint
// sees an unknown. `along` is the direction in which the constraint is met; it is taken out of the inverse.
std::optional<Fit> fit_with_sum(const Design& design) {
  SymmetricMatrix matrix = normal_matrix(design);
  const int64_t size = design.unknowns;
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) matrix.row(i)[j] += 1;
  }
  std::optional<SymmetricMatrix> inverse = matrix.inverse();
  if (!inverse) return std::nullopt;
  std::vector<double> along = inverse->times(std::vector<double>(static_cast<size_t>(size), 1.0));
  const double total = std::accumulate(along.begin(), along.end(), 0.0);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) inverse->row(i)[j] -= along[i] * along[j] / total;
  }
  for (double& share : along) share /= total;
  return Fit{std::move(*inverse), std::move(along)};
}

std::optional<Fit> fit_with_ridge(const Design& design, double ridge, int64_t penalised) {
  SymmetricMatrix matrix = normal_matrix(design);
  for (int64_t i = 0; i < penalised; ++i) matrix.row(i)[i] += ridge;
  std::optional<SymmetricMatrix> inverse = matrix.inverse();
  if (!inverse) return std::nullopt;
  return Fit{std::move(*inverse), std::vector<double>(static_cast<size_t>(design.unknowns))};
}

std::vector<double> Fit::influence(const Design& design, size_t row) const {
  std::vector<double> features(static_cast<size_t>(design.unknowns));
  const double weight = design.weights[row] / total_weight(design);
  for (const int place : design.rows[row]) features[static_cast<size_t>(place)] = weight;
  return inverse.times(features);
}

std::vector<double> Fit::solve(const Design& design, const std::vector<double>& y, double sum) const {
  std::vector<double> right(static_cast<size_t>(design.unknowns));
  for (size_t r = 0; r < design.rows.size(); ++r) {
    for (const int place : design.rows[r]) right[static_cast<size_t>(place)] += design.weights[r] * y[r];
  }
  const double total = total_weight(design);
  for (double& value : right) value /= total;
  std::vector<double> x = inverse.times(right);
  for (size_t i = 0; i < x.size(); ++i) x[i] += along[i] * sum;
  return x;
}

std::vector<double> Fit::standard_errors(const Design& design, const std::vector<double>& y,
                                         const std::vector<double>& x, size_t group, size_t telling) const {
  std::vector<Sparse> scores;
  for (size_t r = 0; r < design.rows.size(); r += group) {
    std::vector<double> sum(static_cast<size_t>(design.unknowns));
    for (size_t one = r; one < std::min(r + group, design.rows.size()); ++one) {
      double residual = y[one];
      for (const int place : design.rows[one]) residual -= x[static_cast<size_t>(place)];
      for (const int place : design.rows[one]) sum[static_cast<size_t>(place)] += design.weights[one] * residual;
    }
    Sparse score;
    for (size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] == 0) continue;
      score.places.push_back(static_cast<int>(i));
      score.values.push_back(sum[i]);
    }
    scores.push_back(std::move(score));
  }
  std::vector<double> errors = inverse.diagonal_around(sum_of_squares(scores, design.unknowns));
  const auto rows = static_cast<double>(telling == 0 ? design.rows.size() : telling);
  const double total = total_weight(design);
  const double factor = rows / std::max(1.0, rows - static_cast<double>(design.unknowns)) / (total * total);
  for (double& error : errors) error = std::sqrt(std::max(0.0, error * factor));
  return errors;
}

double Fit::degrees_of_freedom(const Design& design, size_t group) const {
  const auto groups = static_cast<double>(design.rows.size()) / static_cast<double>(group);
  return std::max(1.0, groups - static_cast<double>(design.unknowns));
}

std::vector<std::vector<int64_t>> draw_by_shapley_kernel(int64_t n, int64_t pairs, uint64_t seed) {
  std::vector<double> up_to;  // the chance of at most this size
  for (int64_t s = 1; s < n; ++s) up_to.push_back((s == 1 ? 0 : up_to.back()) + 1.0 / static_cast<double>(s * (n - s)));
  const Random sizes(seed, kSizes), members(seed, kMembers);
  std::vector<std::vector<int64_t>> rows;
  for (int64_t i = 0; i < pairs; ++i) {
    const double level = sizes.uniform(static_cast<uint64_t>(i)) * up_to.back();
    const auto size = std::upper_bound(up_to.begin(), up_to.end() - 1, level) - up_to.begin() + 1;
    const std::vector<int64_t> order = members.permutation(static_cast<uint64_t>(i), n);
    rows.emplace_back(order.begin(), order.begin() + size);
    rows.emplace_back(order.begin() + size, order.end());
    std::sort(rows[rows.size() - 2].begin(), rows[rows.size() - 2].end());
    std::sort(rows.back().begin(), rows.back().end());
  }
  return rows;
}

}  // namespace ascribe::core
