// FSII of order 2 by regression (Tsai, Yeh, Ravikumar 2023): coalitions S are drawn by the Shapley kernel, size s
// with probability ~ 1 / (s (n-s)), each with its complement; x minimises the mean of
//   (v(S) - v(0) - sum over A in S of x(A))^2   subject to   sum of all x(A) = v(N) - v(0).
// Standard errors: the residual (sandwich) covariance Q M Q, M the sum of u u' over the pairs of coalitions, u the
// gradient of a pair's squared residuals, Q the inverse normal matrix within the constraint; times rows / (rows -
// unknowns), because the residuals of a fit are too small.
#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "game/estimators/small_sets.h"
#include "game/estimators/symmetric_matrix.h"

namespace ascribe {

namespace {

constexpr int64_t kMostPlayers = 100;         // 5050 unknowns; the solution takes their third power
constexpr uint64_t kSizes = 1, kMembers = 2;  // streams of random numbers

// The draws, as lists of players: row 2 i is a coalition, row 2 i + 1 its complement.
std::vector<std::vector<int64_t>> draw(int64_t n, int64_t pairs, uint64_t seed) {
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

// The places of all sets within a coalition, ascending.
std::vector<int> features_of(const std::vector<int64_t>& members, const SmallSets& sets) {
  std::vector<int> places;
  for (const int64_t p : members) places.push_back(static_cast<int>(p));
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size(); ++j)
      places.push_back(static_cast<int>(sets.pair(members[i], members[j])));
  }
  return places;
}

using Rows = std::vector<std::vector<int>>;

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

struct Problem {
  Rows rows;                  // features of each coalition
  std::vector<double> value;  // v(S) - v(0)
  double change = 0;          // v(N) - v(0)
  int64_t unknowns = 0;
};

// Normal equations per row, with the constraint as one more row, whose residual is zero anyway: it makes the matrix
// regular where only the constraint sees a set.
SymmetricMatrix normal_matrix(const Problem& problem) {
  std::vector<Sparse> features;
  for (const auto& row : problem.rows) features.push_back({row, std::vector<double>(row.size(), 1.0)});
  SymmetricMatrix matrix = sum_of_squares(features, problem.unknowns);
  const double scale = 1 / static_cast<double>(problem.rows.size());
  for (int64_t i = 0; i < problem.unknowns; ++i) {
    for (int64_t j = 0; j < problem.unknowns; ++j) matrix.row(i)[j] = matrix.row(i)[j] * scale + 1;
  }
  return matrix;
}

// x = Q b + y c, where y is the direction in which the constraint is met: sum of y = 1, Q takes it out of the inverse.
std::vector<double> minimise(const Problem& problem, SymmetricMatrix& inverse) {
  const int64_t size = problem.unknowns;
  std::vector<double> right(static_cast<size_t>(size));
  for (size_t r = 0; r < problem.rows.size(); ++r) {
    for (const int place : problem.rows[r]) right[static_cast<size_t>(place)] += problem.value[r];
  }
  for (double& value : right) value = value / static_cast<double>(problem.rows.size()) + problem.change;
  std::vector<double> towards = inverse.times(std::vector<double>(static_cast<size_t>(size), 1.0));
  double total = 0;
  for (const double value : towards) total += value;
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) inverse.row(i)[j] -= towards[i] * towards[j] / total;
  }
  std::vector<double> x = inverse.times(right);
  for (int64_t i = 0; i < size; ++i) x[i] += towards[i] / total * problem.change;
  return x;
}

// u of each pair of coalitions: residual times features. A coalition and its complement share none.
std::vector<Sparse> scores(const Problem& problem, const std::vector<double>& x) {
  std::vector<Sparse> result;
  for (size_t r = 0; r < problem.rows.size(); r += 2) {
    std::vector<std::pair<int, double>> entries;
    for (size_t one = r; one < r + 2; ++one) {
      double residual = problem.value[one];
      for (const int place : problem.rows[one]) residual -= x[static_cast<size_t>(place)];
      for (const int place : problem.rows[one]) entries.emplace_back(place, residual);
    }
    std::sort(entries.begin(), entries.end());
    Sparse u;
    for (const auto& [place, residual] : entries) {
      u.places.push_back(place);
      u.values.push_back(residual);
    }
    result.push_back(std::move(u));
  }
  return result;
}

std::vector<double> standard_errors(const Problem& problem, const SymmetricMatrix& inverse,
                                    const std::vector<double>& x) {
  const auto rows = static_cast<double>(problem.rows.size());
  const SymmetricMatrix middle = sum_of_squares(scores(problem, x), problem.unknowns);
  std::vector<double> errors = inverse.diagonal_around(middle);
  const double factor = rows / (rows - static_cast<double>(problem.unknowns)) / (rows * rows);
  for (double& error : errors) error = std::sqrt(std::max(0.0, error * factor));
  return errors;
}

Problem ask(Game& game, int64_t pairs, const EstimateRequest& request, double empty, double full) {
  const SmallSets sets(game.players());
  Problem problem;
  problem.unknowns = sets.size();
  problem.change = full - empty;
  Coalitions batch(game.players());
  for (const auto& members : draw(game.players(), pairs, request.seed)) {
    batch.add(std::span<const int64_t>(members));
    problem.rows.push_back(features_of(members, sets));
  }
  problem.value = game.values(batch, request.progress);
  for (double& value : problem.value) value -= empty;
  return problem;
}

}  // namespace

Estimate estimate_fsii(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players(), before = game.evaluations(), unknowns = SmallSets(n).size();
  if (n > kMostPlayers) {
    fail(ErrorKind::argument, "players",
         "a regression over {} sets takes too long; got {} players; expected at most {}", unknowns, n, kMostPlayers);
  }
  check_budget(game, request.budget, 2 + 2 * unknowns, "a regression over all pairs");
  const double empty = game.empty_value(), full = game.full_value();
  const int64_t pairs = (request.budget - 2) / 2;
  const Problem problem = ask(game, pairs, request, empty, full);
  std::optional<SymmetricMatrix> inverse = normal_matrix(problem).inverse();
  if (!inverse) {
    fail(ErrorKind::argument, "budget", "the coalitions drawn do not tell all pairs apart; got {}; expected more",
         request.budget);
  }
  const std::vector<double> x = minimise(problem, *inverse);
  return {small_effects(n, x, empty, full, game.evaluations() - before), standard_errors(problem, *inverse, x), pairs};
}

}  // namespace ascribe
