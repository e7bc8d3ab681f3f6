// How far explanations of one row lie apart, whatever their units: each is scaled until the magnitudes of its values
// add up to 1, and half of the distance between two of them is the share of the strength that they place differently.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ascribe::core::study {

// Scaled so that the magnitudes add up to 1; empty if all are 0 or one is not finite.
std::vector<double> unit_strength(std::span<const double> values);

// From 0 (the same but for a factor above 0) to 1 (opposite, or nothing in common); 1 if only one of them says that
// nothing matters, nothing if both do.
std::optional<double> placed_differently(std::span<const double> a, std::span<const double> b);

// The two lists that are furthest apart; nothing if no two can be compared.
struct Apart {
  size_t first = 0, second = 0;
  double share = 0;
};
std::optional<Apart> furthest_apart(std::span<const std::vector<double>> lists);

}  // namespace ascribe::core::study
