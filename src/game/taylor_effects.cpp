#include "game/taylor_effects.h"

#include <cmath>
#include <map>

#include "base/error.h"

namespace ascribe::core {

namespace {

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

bool vanishes_beyond_one(const std::vector<Conditioning>& orders, double scale) {
  for (const Conditioning& order : orders) {
    if (order.order > 1 && std::abs(order.sum) + order.largest > 1e-13 * scale) return false;
  }
  return orders.size() > 1;
}

// The last sums per order shrink, or are already small beside the change.
bool converges(const std::vector<Conditioning>& orders, double change) {
  if (orders.size() < 3) return true;
  const size_t last = orders.size() - 1;
  const double tail = std::abs(orders[last].sum),
               before = std::abs(orders[last - 1].sum) + std::abs(orders[last - 2].sum);
  return tail <= before || tail <= 1e-9 * std::abs(change);
}

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
  const double share = 1.0 / static_cast<double>(count);
  for (int64_t row = 0; row < count; ++row) {
    const auto b = baselines.data<double>().subspan(row * size, size);
    std::vector<Tensor> point = question.point;
    point[question.input] = start(question, x, b);
    const MixedTerms terms = mixed_terms(f, point, player_steps(question, x.data<double>(), b),
                                         {request.order, request.most_terms}, progress);
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
  std::vector<Tensor> point = question.point;
  point[question.input] = x;
  result.effects.output = f.value(point);
  const double scale = std::abs(result.effects.change()) + std::abs(result.effects.output) * 1e-3;
  result.piecewise_linear = vanishes_beyond_one(result.conditioning, scale);
  result.converging = converges(result.conditioning, result.effects.change());
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
