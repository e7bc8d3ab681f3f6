#include <algorithm>
#include <cmath>

#include "study/evaluate.h"

namespace ascribe::core::study {

namespace {

// The curve between its points; they reach from the first position to the last.
double value_at(const Score& score, double position) {
  const std::vector<double>& at = score.positions;
  const auto above = std::lower_bound(at.begin(), at.end(), position);
  if (above == at.end()) return score.curve.back();
  const auto i = static_cast<size_t>(above - at.begin());
  if (*above == position || i == 0) return score.curve[i];
  const double share = (position - at[i - 1]) / (at[i] - at[i - 1]);
  return score.curve[i - 1] + share * (score.curve[i] - score.curve[i - 1]);
}

std::vector<Score> curves_of(const EvaluateResult& result, size_t method, size_t metric) {
  std::vector<Score> list;
  for (const ScoredSample& sample : result.samples) {
    Score score = sample.scores.at(method, metric);
    if (!score.curve.empty()) list.push_back(std::move(score));
  }
  return list;
}

std::vector<double> all_positions(const std::vector<Score>& curves) {
  std::vector<double> positions;
  for (const Score& score : curves) {
    if (score.positions == positions) continue;
    positions.insert(positions.end(), score.positions.begin(), score.positions.end());
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  }
  return positions;
}

}  // namespace

MeanCurve mean_curve(const EvaluateResult& result, size_t method, size_t metric) {
  const std::vector<Score> curves = curves_of(result, method, metric);
  MeanCurve mean;
  mean.samples = std::ssize(curves);
  mean.positions = all_positions(curves);
  const auto count = static_cast<double>(curves.size());
  for (const double position : mean.positions) {
    double sum = 0, squares = 0;
    for (const Score& score : curves) sum += value_at(score, position);
    for (const Score& score : curves) squares += std::pow(value_at(score, position) - sum / count, 2);
    mean.mean.push_back(sum / count);
    if (curves.size() > 1) mean.standard_errors.push_back(std::sqrt(squares / (count - 1) / count));
  }
  return mean;
}

}  // namespace ascribe::core::study
