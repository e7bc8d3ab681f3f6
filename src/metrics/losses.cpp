#include "metrics/losses.h"

#include <algorithm>
#include <functional>

#include "game/coalition_plan.h"
#include "methods/question_game.h"
#include "methods/spread.h"
#include "metrics/shares.h"

namespace ascribe::core {

std::vector<double> lost_without(ExplainedModel& model, const Question& question, std::span<const PlayerSet> sets,
                                 const Progress& progress) {
  const int64_t players = question.players.count();
  const std::vector<uint64_t> all = everyone(players);
  Coalitions present(players);
  present.add(std::span<const uint64_t>(all));
  for (const PlayerSet& set : sets) {
    std::vector<uint64_t> rest = all;
    for (const int64_t p : set) rest[static_cast<size_t>(p / 64)] &= ~(uint64_t{1} << (p % 64));
    present.add(std::span<const uint64_t>(rest));
  }
  const std::vector<double> values = question_game(model, question).values(present, progress);
  std::vector<double> losses;
  for (size_t i = 1; i < values.size(); ++i) losses.push_back(values[0] - values[i]);
  return losses;
}

std::vector<double> input_changes(const ExplainedModel& model, const Question& question) {
  const Tensor x = question.point[model.input()].cast(DType::f64), baselines = question.baselines.cast(DType::f64);
  const auto count = static_cast<double>(question.baseline_count());
  const auto from = x.data<double>(), b = baselines.data<double>();
  std::vector<double> result(from.begin(), from.end());
  for (size_t i = 0; i < b.size(); ++i) result[i % from.size()] -= b[i] / count;
  return result;
}

std::vector<double> claimed_losses(const ExplainedModel& model, const Question& question, const Players& players,
                                   const Method& method, const Attribution& attribution) {
  const Tensor shares = element_shares(method, question, attribution);
  const auto data = shares.data<double>();
  if (method.kind == AttributionKind::contribution) return sums_of_players(players, data);
  std::vector<double> changes = input_changes(model, question);
  std::transform(data.begin(), data.end(), changes.begin(), changes.begin(), std::multiplies<>());
  return sums_of_players(players, changes);
}

double rounding_of(const ExplainedModel& model, double size) {
  return size * (model.real() == DType::f32 ? 1e-6 : 1e-13);
}

}  // namespace ascribe::core
