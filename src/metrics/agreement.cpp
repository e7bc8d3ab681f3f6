#include "metrics/agreement.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "metrics/statistics.h"

namespace ascribe::core {

namespace {

template <class F>
AgreementMatrix symmetric(size_t count, const std::vector<bool>& comparable, F&& agreement) {
  AgreementMatrix matrix(count, std::vector<std::optional<double>>(count));
  for (size_t i = 0; i < count; ++i) {
    if (!comparable[i]) continue;
    matrix[i][i] = 1;
    for (size_t j = 0; j < i; ++j) {
      if (comparable[j]) matrix[i][j] = matrix[j][i] = agreement(i, j);
    }
  }
  return matrix;
}

Score mean_with_others(const AgreementMatrix& matrix, size_t method) {
  if (matrix.size() < 2) return undefined_score("there is no other method to agree with");
  if (!matrix[method][method]) return undefined_score("all players have the same value");
  double sum = 0, count = 0;
  for (size_t other = 0; other < matrix.size(); ++other) {
    if (other == method || !matrix[method][other]) continue;
    sum += *matrix[method][other];
    ++count;
  }
  if (count == 0) return undefined_score("all other methods give all players the same value");
  return {sum / count};
}

}  // namespace

AgreementMatrix rank_correlations(std::span<const std::vector<double>> values) {
  std::vector<std::vector<double>> ranks;
  std::vector<bool> comparable;
  for (const auto& one : values) {
    ranks.push_back(ranks_of(one));
    comparable.push_back(varies(ranks.back()));
  }
  return symmetric(values.size(), comparable,
                   [&](size_t i, size_t j) { return pearson_correlation(ranks[i], ranks[j]); });
}

AgreementMatrix top_overlaps(std::span<const std::vector<double>> values, int64_t k) {
  std::vector<std::vector<double>> chances;
  std::vector<bool> comparable;
  for (const auto& one : values) {
    if (k < 1 || k > std::ssize(one)) {
      fail(ErrorKind::argument, "top players", "got k = {}; expected at most the number of players, {}", k, one.size());
    }
    const std::vector<double> sizes = absolute_values(one);
    chances.push_back(chance_among_highest(sizes, k));
    comparable.push_back(varies(sizes));
  }
  return symmetric(values.size(), comparable, [&](size_t i, size_t j) {
    return std::inner_product(chances[i].begin(), chances[i].end(), chances[j].begin(), 0.0) / static_cast<double>(k);
  });
}

Scores score_agreement(const MetricInput& input,
                       const std::function<AgreementMatrix(std::span<const std::vector<double>>)>& matrix) {
  return question_by_question(input, [&](size_t q) {
    std::vector<std::vector<double>> values;
    for (const MethodExplanations& one : input.methods) values.push_back(one.attributions[q].values);
    const AgreementMatrix agreement = matrix(values);
    std::vector<Score> scores;
    for (size_t m = 0; m < values.size(); ++m) scores.push_back(mean_with_others(agreement, m));
    return scores;
  });
}

}  // namespace ascribe::core
