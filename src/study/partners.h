// Which other feature a feature acts together with most, over many rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "game/effects.h"

namespace ascribe::core::study {

// What every two players do together in one row: the Shapley interaction index (Grabisch and Roubens 1999), the sum
// over all sets that hold both of their effect, divided by the number of players less one. [i * players + j], 0 for i.
std::vector<double> joint_strengths(const Dividends& dividends);

// The feature whose values go with what this feature's own value does not say of its attribution: the attribution less
// its mean among rows of like values (ten of equally many), by the magnitude of Spearman's correlation. For features
// whose effects were not taken apart.
struct PartnerByValues {
  size_t feature = 0;
  double correlation = 0;
};
// `values`: of every feature, row by row; a feature without values is empty. Nothing if no feature's values vary with
// what is left.
std::optional<PartnerByValues> partner_by_values(size_t feature, std::span<const std::vector<double>> values,
                                                 std::span<const double> attributions);

}  // namespace ascribe::core::study
