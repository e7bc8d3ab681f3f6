// Which of the explanations of a row to trust: the method that holds all three principles and has the lowest
// infidelity. A pure function of the row, so that reports of older versions get the same answer.
//
// The order of methods, best first:
//   1. contributions before sensitivities and pictures of an inner layer, which are no shares of the output
//   2. values that are all known and not all zero
//   3. all principles hold; none fails but some are left open; all others, whether they fail or were not measured
//   4. the lowest infidelity. Those within kAsFaithful of the lowest are as faithful: draws decide such differences
//   5. exact before estimated, more principles held, and the order of the report
#pragma once

#include "study/document.h"

namespace ascribe::core::document {

constexpr double kAsFaithful = 1e-3;  // of the lowest infidelity

Trusted trusted_of(const Row& row);
// The one in the row, or found for it.
Trusted trusted_in(const Row& row);

// A share of the output: neither a sensitivity nor the picture of an inner layer, whose numbers have a scale of their
// own.
bool is_share(const MethodResult& method);
Standing standing_of(const Row& row, const std::string& method);
// What was measured of the principles; null: nothing.
const MethodPrinciples* principles_named(const Row& row, const std::string& method);
// The infidelity, or else its scaled form; null if the row has none.
const MetricScores* infidelity_of(const Row& row);
// The players with the largest values, as many as a reader remembers: one of up to three, three of up to thirty, else a
// tenth of them.
std::vector<size_t> strongest_players_of(const MethodResult& method);

}  // namespace ascribe::core::document
