#include "study/reproduce/groups.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ascribe::core::study::paper {

namespace {

// The methods of each group, by number; those that are left out belong to none.
std::map<int, std::vector<size_t>> groups_of(const ScoredNetwork& network) {
  std::map<int, std::vector<size_t>> groups;
  for (size_t m = 0; m < network.methods.size(); ++m) {
    if (network.methods[m].left_out.empty()) groups[network.methods[m].principles].push_back(m);
  }
  return groups;
}

// What these methods score on one image, those that have a score there.
std::vector<double> scores_on(const ScoredNetwork& network, const std::vector<size_t>& methods, size_t metric,
                              size_t image) {
  std::vector<double> scores;
  for (const size_t m : methods) {
    const double score = network.methods[m].scores[metric][image];
    if (std::isfinite(score)) scores.push_back(score);
  }
  return scores;
}

Summary middle(const std::vector<double>& values) { return summarize({&values, 1}, 0)[0]; }

// Positive: the first group is better.
std::vector<double> differences(const ScoredNetwork& network, size_t metric, const std::vector<size_t>& first,
                                const std::vector<size_t>& second) {
  const double sign = metric_named(network.plan.metrics[metric]).better == Better::higher ? 1 : -1;
  std::vector<double> result;
  for (size_t i = 0; i < static_cast<size_t>(network.images); ++i) {
    const std::vector<double> a = scores_on(network, first, metric, i), b = scores_on(network, second, metric, i);
    if (a.empty() || b.empty()) continue;
    const Summary of_a = middle(a), of_b = middle(b);
    result.push_back(sign * (network.plan.medians ? of_a.median - of_b.median : of_a.mean - of_b.mean));
  }
  return result;
}

}  // namespace

std::vector<GroupScore> group_scores(const ScoredNetwork& network, uint64_t seed) {
  std::vector<GroupScore> result;
  for (const auto& [principles, methods] : groups_of(network)) {
    std::vector<std::vector<double>> by_metric(network.plan.metrics.size());
    for (size_t k = 0; k < by_metric.size(); ++k) {
      for (size_t i = 0; i < static_cast<size_t>(network.images); ++i) {
        const std::vector<double> scores = scores_on(network, methods, k, i);
        if (!scores.empty()) by_metric[k].push_back(middle(scores).mean);
      }
    }
    result.push_back({principles, std::ssize(methods), summarize(by_metric, seed)});
  }
  return result;
}

std::vector<GroupComparison> compared_groups(const ScoredNetwork& network) {
  const std::map<int, std::vector<size_t>> groups = groups_of(network);
  std::vector<GroupComparison> result;
  for (size_t k = 0; k < network.plan.metrics.size(); ++k) {
    for (auto more = groups.rbegin(); more != groups.rend(); ++more) {
      for (auto fewer = std::next(more); fewer != groups.rend(); ++fewer) {
        const std::vector<double> d = differences(network, k, more->second, fewer->second);
        GroupComparison one{k, more->first, fewer->first, 0, sign_test(d), signed_rank_test(d), 1, 1};
        one.better = one.sign.above;
        one.sign_p = one.sign.p;
        one.rank_p = one.rank.p;
        result.push_back(one);
      }
    }
  }
  return result;
}

void correct(std::vector<GroupComparison*> shown) {
  std::vector<double> sign, rank;
  for (const GroupComparison* one : shown) {
    sign.push_back(one->sign.p);
    rank.push_back(one->rank.p);
  }
  sign = holm_adjusted(sign);
  rank = holm_adjusted(rank);
  for (size_t i = 0; i < shown.size(); ++i) {
    shown[i]->sign_p = sign[i];
    shown[i]->rank_p = rank[i];
  }
}

std::string p_text(double p) {
  if (p >= 0.995) return "1";
  return p >= 0.001 ? fmt::format("{:.2g}", p) : fmt::format("{:.0e}", p);
}

std::string test_text(const GroupComparison& one) {
  return fmt::format("{} of {}, p = {}, {}", one.better, one.sign.count, p_text(one.sign_p), p_text(one.rank_p));
}

std::string comparison_table(const ScoredNetwork& network) {
  std::vector<GroupComparison> all = compared_groups(network);
  std::vector<GroupComparison*> shown;
  for (GroupComparison& one : all) shown.push_back(&one);
  correct(shown);
  Table table{{"metric", "groups, by principles", "the first is better on", "sign test p", "signed rank p"}};
  for (const GroupComparison& one : all) {
    table.rows.push_back({title_of_metric(network.plan.metrics[one.metric]),
                          fmt::format("{} against {}", one.more, one.fewer),
                          fmt::format("{} of {}", one.better, one.sign.count), p_text(one.sign_p), p_text(one.rank_p)});
  }
  return table.markdown();
}

}  // namespace ascribe::core::study::paper
