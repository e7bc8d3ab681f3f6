#include "game/taylor_effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "derivatives/kinks.h"
#include "game/coalition_plan.h"

namespace ascribe::core {

namespace {

constexpr int kSeriesOrder = 24;        // to which a series is followed to see where it leads
constexpr int64_t kTellingPlayers = 4;  // along whom, alone and left out; about
constexpr int64_t kAllSetsOf = 10;      // players: of more, not every coalition is looked at for kinks

// Row p: the step from the baseline to x on the elements of player p.
Tensor player_steps(const MaskedModel& question, std::span<const double> x, std::span<const double> b) {
  const int64_t size = std::ssize(question.players.owner), players = question.players.count();
  Shape shape = question.point[question.input].shape();
  if (shape.empty()) shape = {1};
  shape[0] *= players;
  Tensor steps(DType::f64, shape);
  auto values = steps.mutable_data<double>();
  for (int64_t i = 0; i < size; ++i) {
    const int32_t p = question.players.owner[i];
    if (p >= 0) values[p * size + i] = x[i] - b[i];
  }
  return steps;
}

// The baseline where somebody owns the element, x elsewhere.
Tensor start(const MaskedModel& question, const Tensor& x, std::span<const double> b) {
  Tensor point = x;
  auto values = point.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (question.players.owner[i] >= 0) values[i] = b[i];
  }
  return point;
}

// Everyone, and some of the single players and of everyone without one.
Coalitions telling_sets(int64_t players) {
  Coalitions sets(players);
  const std::vector<uint64_t> all = everyone(players);
  sets.add(std::span<const uint64_t>(all));
  if (players == 1) return sets;
  const int64_t stride = std::max<int64_t>(1, players / kTellingPlayers);
  for (int64_t p = 0; p < players; p += stride) {
    sets.add(std::span<const int64_t>(&p, 1));
    std::vector<uint64_t> others = all;
    others[static_cast<size_t>(p / 64)] ^= uint64_t{1} << (p % 64);
    sets.add(std::span<const uint64_t>(others));
  }
  return sets;
}

Coalitions masked_sets(int64_t players) {
  if (players > kAllSetsOf) return telling_sets(players);
  Coalitions sets(players);
  for (uint64_t set = 1; set < uint64_t{1} << players; ++set) sets.add(set);
  return sets;
}

// Row s: the steps of the players in set first + s, from `from`.
Tensor sums_of_steps(const Tensor& from, const Tensor& steps, const Coalitions& sets, int64_t first, int64_t count) {
  const int64_t size = from.size();
  Shape shape = from.shape();
  if (shape.empty()) shape = {1};
  shape[0] *= count;
  Tensor rows(DType::f64, shape);
  const auto to = rows.mutable_data<double>();
  const auto start = from.data<double>(), step = steps.data<double>();
  for (int64_t s = 0; s < count; ++s) {
    for (int64_t i = 0; i < size; ++i) to[s * size + i] = start[i];
    for (int64_t p = 0; p < sets.players(); ++p) {
      for (int64_t i = 0; sets.has(first + s, p) && i < size; ++i) to[s * size + i] += step[p * size + i];
    }
  }
  return rows;
}

// Judges the series at one baseline; also whether it ends after order 1, in all directions.
class SeriesJudge {
 public:
  SeriesJudge(const MaskedModel& question, Derivatives& f, SessionOptions options)
      : question_(question), f_(f), kinks_(question.graph, question.input, std::move(options)) {}

  void judge(const std::vector<Tensor>& point, const Tensor& steps, double output, TaylorEffects& result) {
    const Tensor& start = point[question_.input];
    const int64_t players = question_.players.count();
    const Coalitions sets = telling_sets(players);
    const Tensor directions = sums_of_steps(Tensor(DType::f64, start.shape()), steps, sets, 0, sets.size());
    const auto coefficients = f_.taylor(point, directions, std::max(kSeriesOrder, result.effects.order));
    Series series = Series::converges;
    for (const auto& along : coefficients) {
      const double radius = radius_of_convergence(along);
      result.radius = std::min(result.radius, radius);
      series = worse(series, judge_radius(radius));
    }
    const bool kinks = kinks_before(masked_sets(players), point, steps);
    double sum = 0, scale = std::abs(output);
    for (const double c : coefficients[0]) sum += c, scale = std::max(scale, std::abs(c));
    series = worse(series, judge_series(coefficients[0], output - sum, scale, kinks));
    result.series = worse(result.series, series);
    result.piecewise_linear = result.piecewise_linear && kinks && vanishes_beyond_one(coefficients, scale);
  }

 private:
  bool kinks_before(const Coalitions& sets, const std::vector<Tensor>& point, const Tensor& steps) {
    if (!kinks_.any()) return false;
    for (int64_t first = 0; first < sets.size(); first += kinks_.rows_at_once()) {
      const int64_t count = std::min(kinks_.rows_at_once(), sets.size() - first);
      if (kinks_.between(point, sums_of_steps(point[question_.input], steps, sets, first, count))) return true;
    }
    return false;
  }

  static bool vanishes_beyond_one(const std::vector<std::vector<double>>& coefficients, double scale) {
    for (const auto& along : coefficients) {
      for (size_t k = 2; k < along.size(); ++k) {
        if (!(std::abs(along[k]) <= 1e-13 * scale)) return false;
      }
    }
    return true;
  }

  const MaskedModel& question_;
  Derivatives& f_;
  Kinks kinks_;
};

}  // namespace

TaylorEffects taylor_effects(const MaskedModel& question, const TaylorRequest& request, const Progress& progress) {
  const Tensor x = question.point[question.input].cast(DType::f64), baselines = question.baselines.cast(DType::f64);
  const int64_t size = x.size(), count = baselines.size() / size;
  SessionOptions options = question.options;
  options.real = DType::f64;
  Derivatives f(question.graph, {}, options, question.graph.inputs[question.input].name);
  TaylorEffects result;
  result.effects.players = question.players.count();
  result.effects.order = request.order;
  result.radius = std::numeric_limits<double>::infinity();
  result.piecewise_linear = true;
  std::vector<Tensor> at_x = question.point;
  at_x[question.input] = x;
  result.effects.output = f.value(at_x);
  SeriesJudge judge(question, f, options);
  const double share = 1.0 / static_cast<double>(count);
  for (int64_t row = 0; row < count; ++row) {
    const auto b = baselines.data<double>().subspan(row * size, size);
    std::vector<Tensor> point = question.point;
    point[question.input] = start(question, x, b);
    const Tensor steps = player_steps(question, x.data<double>(), b);
    const MixedTerms terms = mixed_terms(f, point, steps, {request.order, request.most_terms}, progress);
    judge.judge(point, steps, result.effects.output, result);
    result.effects.baseline_output += share * terms.constant;
    result.effects.remainder += share * terms.remainder;
    result.effects.evaluations += cost_of_terms(question.players.count(), request.order).directions;
    if (row == 0) {
      result.conditioning = terms.orders;
      for (const MixedTerm& term : terms.terms) {
        Effect effect;
        for (size_t p = 0; p < term.degrees.size(); ++p) {
          if (term.degrees[p] == 0) continue;
          effect.support.push_back(static_cast<int>(p));
          effect.degree.push_back(term.degrees[p]);
        }
        result.effects.effects.push_back(std::move(effect));
      }
    }
    for (size_t i = 0; i < terms.terms.size(); ++i) result.effects.effects[i].value += share * terms.terms[i].value;
    for (size_t k = 0; k < terms.orders.size() && row > 0; ++k) {
      Conditioning& worst = result.conditioning[k];
      worst.error_bound = std::max(worst.error_bound, terms.orders[k].error_bound);
      worst.largest = std::max(worst.largest, terms.orders[k].largest);
      worst.sum += terms.orders[k].sum;
    }
  }
  for (Conditioning& order : result.conditioning) order.sum *= share;
  return result;
}

std::vector<SupportSum> sums_by_support(const TaylorEffects& taylor) {
  const auto order = static_cast<size_t>(taylor.effects.order);
  std::map<std::pair<size_t, std::vector<int>>, std::vector<double>> sums;
  for (const Effect& effect : taylor.effects.effects) {
    auto& by_order = sums[{effect.support.size(), effect.support}];
    by_order.resize(order + 1, 0);
    size_t degree = 0;
    for (const int d : effect.degree) degree += static_cast<size_t>(d);
    for (size_t k = degree; k <= order; ++k) by_order[k] += effect.value;
  }
  std::vector<SupportSum> result;
  for (auto& [key, by_order] : sums) result.push_back({key.second, std::move(by_order)});
  return result;
}

}  // namespace ascribe::core
