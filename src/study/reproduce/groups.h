// Groups of methods, by the number of principles that each satisfies, compared image by image: a group's score on an
// image is the mean or the median of its methods' there, and the tests are of the paired differences
// (metrics/paired_tests.h).
#pragma once

#include <string>
#include <vector>

#include "metrics/metric.h"
#include "metrics/paired_tests.h"
#include "study/reproduce/scores.h"

namespace ascribe::core::study::paper {

// Of one metric: a group of more principles against one of fewer.
struct GroupComparison {
  size_t metric = 0;
  int more = 0, fewer = 0;  // principles
  int64_t better = 0;       // images on which the group with more is better
  PairedTest sign, rank;
  double sign_p = 1, rank_p = 1;  // corrected, after Holm, for all comparisons that are shown together
};

// What a group gets: the mean over its methods of their means over images, and its interval.
struct GroupScore {
  int principles = 0;
  int64_t methods = 0;
  std::vector<Summary> by_metric;  // over images, of the mean of the group's methods
};

std::vector<GroupScore> group_scores(const ScoredNetwork& network, uint64_t seed);
// p is not corrected yet.
std::vector<GroupComparison> compared_groups(const ScoredNetwork& network);
// Corrects p for all of these together.
void correct(std::vector<GroupComparison*> shown);

std::string test_text(const GroupComparison& one);  // "56 of 60, p = 9e-13, 2e-10": of both tests
std::string p_text(double p);

// Every comparison on a line of its own; they are corrected together.
std::string comparison_table(const ScoredNetwork& network);

}  // namespace ascribe::core::study::paper
