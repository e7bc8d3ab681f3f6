// Agreement of attributions with each other. Nothing stands where there is nothing to compare.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace ascribe::core {

using AgreementMatrix = std::vector<std::vector<std::optional<double>>>;

// Spearman's correlation of each two lists of values per player, with their signs. Nothing for a list whose values are
// all equal; otherwise 1 with itself.
AgreementMatrix rank_correlations(std::span<const std::vector<double>> values);

// Of the k players with the largest |value| in two lists, the share that is in both. Where players tie for the last
// places, its expected value if chance chose among them in each list. Nothing for a list whose |values| are all equal;
// otherwise 1 with itself.
AgreementMatrix top_overlaps(std::span<const std::vector<double>> values, int64_t k);

// For each method the mean of its agreement with the others, question by question.
Scores score_agreement(const MetricInput& input,
                       const std::function<AgreementMatrix(std::span<const std::vector<double>> values)>& matrix);

}  // namespace ascribe::core
