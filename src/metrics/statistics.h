// Ranks and correlations. A correlation with numbers that do not vary is none, and says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ascribe::core {

// Whether the numbers differ by more than `noise`, and by more than rounding of sums of them would explain.
bool varies(std::span<const double> values, double noise = 0);

// Nothing if one of the two does not vary.
std::optional<double> pearson_correlation(std::span<const double> a, std::span<const double> b);
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);  // Spearman's

// 1 for the smallest; equal values get the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values);

// For each value how likely it is among the `count` highest: 1, 0, or between where values tie at the border.
std::vector<double> chance_among_highest(std::span<const double> values, int64_t count);

std::vector<double> absolute_values(std::span<const double> values);

// Length of the vector.
double norm_of(std::span<const double> values);

}  // namespace ascribe::core
