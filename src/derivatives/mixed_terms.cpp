#include "derivatives/mixed_terms.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/checked.h"

namespace ascribe::core {

namespace {

using Degrees = std::vector<int>;

int64_t saturating_binomial(int64_t n, int64_t k) {
  k = std::min(k, n - k);
  int64_t result = 1;
  for (int64_t i = 1; i <= k; ++i) {
    const int64_t factor = n - k + i;
    if (result > std::numeric_limits<int64_t>::max() / factor) return std::numeric_limits<int64_t>::max();
    result = result * factor / i;
  }
  return result;
}

int total(const Degrees& degrees) {
  int sum = 0;
  for (const int degree : degrees) sum += degree;
  return sum;
}

// Calls f for every vector of degrees with this total, whose entries are not above `most`.
void for_each_degrees(Degrees& current, size_t from, int left, const Degrees& most,
                      const std::function<void(const Degrees&)>& f) {
  if (from + 1 == current.size()) {
    if (left > most[from]) return;
    current[from] = left;
    f(current);
    current[from] = 0;
    return;
  }
  for (int degree = std::min(left, most[from]); degree >= 0; --degree) {
    current[from] = degree;
    for_each_degrees(current, from + 1, left - degree, most, f);
  }
  current[from] = 0;
}

void for_each_of_total(size_t players, int sum, const Degrees& most, const std::function<void(const Degrees&)>& f) {
  Degrees current(players, 0);
  for_each_degrees(current, 0, sum, most, f);
}

// y (y - 1) ... (y - k + 1) / k!
double binomial(double y, int k) {
  double result = 1;
  for (int i = 0; i < k; ++i) result *= (y - i) / (i + 1);
  return result;
}

// Jet coefficients q_n(j) along the lattice directions.
class Lattice {
 public:
  Lattice(size_t players, int order) : players_(players), order_(order) {
    for_each_of_total(players, order, Degrees(players, order), [&](const Degrees& point) {
      index_.emplace(point, points_.size());
      points_.push_back(point);
    });
  }

  // Row r: sum over p of (j_p / K) D_p for lattice point r; the last row is the sum of all D_p.
  Tensor directions(const Tensor& players, const Shape& input) const {
    const int64_t size = element_count(input);
    Shape shape = input.empty() ? Shape{1} : input;
    shape[0] = checked_multiply(shape[0], std::ssize(points_) + 1, "mixed terms");
    const Tensor rows = players.cast(DType::f64);
    Tensor result(DType::f64, shape);
    const auto from = rows.data<double>();
    auto to = result.mutable_data<double>();
    for (size_t r = 0; r <= points_.size(); ++r) {
      for (size_t p = 0; p < players_; ++p) {
        const double weight = r == points_.size() ? 1 : static_cast<double>(points_[r][p]) / order_;
        if (weight == 0) continue;
        for (int64_t i = 0; i < size; ++i) to[r * size + i] += weight * from[p * size + i];
      }
    }
    return result;
  }

  void set(std::vector<std::vector<double>> coefficients) { coefficients_ = std::move(coefficients); }
  double constant() const { return coefficients_[0][0]; }
  double diagonal(int order) const { return coefficients_.back()[static_cast<size_t>(order)]; }

  double largest(int order) const {
    double result = 0;
    for (const auto& row : coefficients_) result = std::max(result, std::abs(row[static_cast<size_t>(order)]));
    return result;
  }

  // The order-n part of f at the integer direction k, for n = |k| .. K, and the sum of |weights| used:
  // p_n(k) = |k|^n q_n(k / |k|), q_n interpolated on the lattice by products of binomials.
  struct Sample {
    std::vector<double> values;
    double weight = 0;
  };
  Sample sample(const Degrees& k) const {
    const int length = total(k);
    Degrees most(players_, 0);
    for (size_t p = 0; p < players_; ++p) most[p] = k[p] > 0 ? order_ : 0;
    Sample result{std::vector<double>(static_cast<size_t>(order_) + 1, 0), 0};
    for_each_of_total(players_, order_, most, [&](const Degrees& j) {
      double weight = 1;
      for (size_t p = 0; p < players_ && weight != 0; ++p) {
        if (j[p] > 0) weight *= binomial(static_cast<double>(order_) * k[p] / length, j[p]);
      }
      if (weight == 0) return;
      result.weight += std::abs(weight);
      const auto& row = coefficients_[index_.at(j)];
      for (int n = length; n <= order_; ++n) result.values[n] += weight * row[static_cast<size_t>(n)];
    });
    for (int n = length; n <= order_; ++n) result.values[n] *= std::pow(length, n);
    return result;
  }

 private:
  size_t players_;
  int order_;
  std::vector<Degrees> points_;
  std::map<Degrees, size_t> index_;
  std::vector<std::vector<double>> coefficients_;
};

// The difference of order k with unit steps, exact for the part of order |k|:
// k! I(k) = sum over l <= k of (-1)^|k - l| C(k, l) p_|k|(l).
struct Difference {
  double value = 0, amplification = 0;
};
Difference difference(const Degrees& degrees, const std::map<Degrees, Lattice::Sample>& samples) {
  const int order = total(degrees);
  double factorial = 1;
  for (const int degree : degrees) factorial *= std::tgamma(degree + 1);
  Difference result;
  for (int sum = 1; sum <= order; ++sum) {
    for_each_of_total(degrees.size(), sum, degrees, [&](const Degrees& l) {
      double weight = (order - sum) % 2 == 0 ? 1 : -1;
      for (size_t p = 0; p < l.size(); ++p) weight *= binomial(degrees[p], l[p]);
      const Lattice::Sample& sample = samples.at(l);
      result.value += weight * sample.values[static_cast<size_t>(order)] / factorial;
      result.amplification += std::abs(weight) * std::pow(sum, order) * sample.weight / factorial;
    });
  }
  return result;
}

void refuse_if_too_many(const TermCost& cost, int64_t players, const MixedTermsOptions& options) {
  if (cost.terms <= options.most_terms) return;
  fail(ErrorKind::argument, "mixed terms",
       "order {} of {} players has {} terms and needs {} directions; expected at most {} terms: fewer players or a "
       "lower order",
       options.order, players, cost.terms, cost.directions, options.most_terms);
}

}  // namespace

TermCost cost_of_terms(int64_t players, int order) {
  TermCost cost;
  if (players < 1 || order < 1) return cost;
  cost.terms = saturating_binomial(players + order, order);
  if (cost.terms < std::numeric_limits<int64_t>::max()) --cost.terms;
  cost.directions = saturating_binomial(players + order - 1, order);
  if (cost.directions < std::numeric_limits<int64_t>::max()) ++cost.directions;
  const int64_t each = int64_t{order} + 1, most = std::numeric_limits<int64_t>::max() / each;
  cost.passes = cost.directions > most ? std::numeric_limits<int64_t>::max() : cost.directions * each;
  return cost;
}

MixedTerms mixed_terms(Derivatives& f, std::span<const Tensor> point, const Tensor& players,
                       const MixedTermsOptions& options, const Progress& progress) {
  const int64_t size = std::max<int64_t>(element_count(f.input_shape()), 1);
  const int64_t count = players.size() / size;
  if (options.order < 1 || count < 1 || players.size() % size != 0) {
    fail(ErrorKind::argument, "mixed terms",
         "expected an order of at least 1 and rows of {}; got order {} and shape {}", to_string(f.input_shape()),
         options.order, to_string(players.shape()));
  }
  refuse_if_too_many(cost_of_terms(count, options.order), count, options);
  Lattice lattice(static_cast<size_t>(count), options.order);
  lattice.set(f.taylor(point, lattice.directions(players, f.input_shape()), options.order, progress));

  MixedTerms result;
  result.constant = lattice.constant();
  const Degrees any(static_cast<size_t>(count), options.order);
  std::map<Degrees, Lattice::Sample> samples;
  double explained = 0;
  for (int order = 1; order <= options.order; ++order) {
    for_each_of_total(any.size(), order, any, [&](const Degrees& k) { samples.emplace(k, lattice.sample(k)); });
    Conditioning conditioning;
    conditioning.order = order;
    conditioning.largest = lattice.largest(order);
    for_each_of_total(any.size(), order, any, [&](const Degrees& degrees) {
      const Difference made = difference(degrees, samples);
      result.terms.push_back({degrees, made.value});
      conditioning.sum += made.value;
      conditioning.amplification = std::max(conditioning.amplification, made.amplification);
    });
    conditioning.error_bound =
        conditioning.amplification * std::numeric_limits<double>::epsilon() * conditioning.largest;
    conditioning.check = conditioning.sum - lattice.diagonal(order);
    explained += conditioning.sum;
    result.orders.push_back(conditioning);
  }
  std::vector<Tensor> end(point.begin(), point.end());
  Tensor moved = end[f.input_index()].cast(DType::f64);
  auto values = moved.mutable_data<double>();
  const Tensor rows = players.cast(DType::f64);
  for (int64_t i = 0; i < rows.size(); ++i) values[i % size] += rows.data<double>()[i];
  end[f.input_index()] = moved;
  result.remainder = f.value(end) - result.constant - explained;
  return result;
}

}  // namespace ascribe::core
