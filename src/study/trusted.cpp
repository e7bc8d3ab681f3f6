#include "study/trusted.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "study/trusted_words.h"

namespace ascribe::core::document {

namespace {

constexpr double kNothing = 1e-12;  // of the largest infidelity: less is rounding

bool says_something(const MethodResult& method) {
  const bool known = std::all_of(method.values.begin(), method.values.end(), [](const Number& v) { return v; });
  return known && std::any_of(method.values.begin(), method.values.end(), [](const Number& v) { return *v != 0; });
}

Number score_of(const MetricScores* metric, const std::string& method) {
  if (metric == nullptr) return {};
  for (const Score& score : metric->scores) {
    if (score.method == method) return score.value;
  }
  return {};
}

// Principles that fail and that were not measured are alike: neither speaks for the method.
int rank_of(Standing standing) { return standing == Standing::holds ? 0 : standing == Standing::open ? 1 : 2; }

struct Candidate {
  const MethodResult* method = nullptr;
  size_t place = 0;
  int tier = 0;  // what comes before all measurements; the lowest is best
  Standing standing = Standing::unmeasured;
  Number infidelity;
  int64_t held = 0;
};

std::vector<Candidate> candidates_of(const Row& row) {
  std::vector<Candidate> all;
  for (const MethodResult& method : row.methods) {
    const MethodPrinciples* principles = principles_named(row, method.name);
    const Standing standing = standing_of(row, method.name);
    const int tier = (is_share(method) ? 0 : 100) + (says_something(method) ? 0 : 10) + rank_of(standing);
    all.push_back({&method, all.size(), tier, standing, score_of(infidelity_of(row), method.name),
                   principles != nullptr ? principles->held : 0});
  }
  return all;
}

// Infidelities up to this are as good as the lowest.
double faithful_enough(const std::vector<Candidate>& alike, const Row& row) {
  double lowest = INFINITY, largest = 0;
  for (const Candidate& one : alike) lowest = std::min(lowest, one.infidelity.value_or(INFINITY));
  if (const MetricScores* metric = infidelity_of(row)) {
    for (const Score& score : metric->scores) largest = std::max(largest, std::abs(score.value.value_or(0)));
  }
  return lowest + kAsFaithful * std::abs(lowest) + kNothing * largest;
}

void best_first(std::vector<Candidate>& alike, double enough) {
  const auto key = [&](const Candidate& one) {
    const double infidelity = one.infidelity.value_or(INFINITY);
    const bool faithful = infidelity <= enough;
    return std::tuple(!faithful, faithful ? 0 : infidelity, !one.method->exact, -one.held, one.place);
  };
  std::sort(alike.begin(), alike.end(), [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
}

// More than half of the strongest players are the same, and move the output the same way.
bool name_the_same(const MethodResult& a, const MethodResult& b) {
  if (a.values.size() != b.values.size()) return false;
  const std::vector<size_t> first = strongest_players_of(a), second = strongest_players_of(b);
  if (first.empty()) return second.empty();
  size_t common = 0;
  for (const size_t player : first) {
    const bool also = std::find(second.begin(), second.end(), player) != second.end();
    if (also && a.values[player].value_or(0) * b.values[player].value_or(0) > 0) ++common;
  }
  return 2 * common > first.size();
}

// Those that stand alike and hold all principles; where none does, those that may hold them.
void compare_with_peers(Trusted& trusted, const std::vector<Candidate>& alike) {
  if (trusted.standing != Standing::holds && trusted.standing != Standing::open) return;
  for (const Candidate& other : alike) {
    if (other.method == alike[0].method) continue;
    (name_the_same(*alike[0].method, *other.method) ? trusted.agree : trusted.disagree).push_back(other.method->name);
  }
}

}  // namespace

bool is_share(const MethodResult& method) { return method.contributes() && method.name != "grad_cam"; }

const MethodPrinciples* principles_named(const Row& row, const std::string& method) {
  if (!row.principles) return nullptr;
  const auto& all = row.principles->methods;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == method; });
  return found == all.end() ? nullptr : &*found;
}

Standing standing_of(const Row& row, const std::string& method) {
  const MethodPrinciples* principles = principles_named(row, method);
  if (principles == nullptr) return Standing::unmeasured;
  Standing standing = Standing::holds;
  for (const Verdict* verdict : {&principles->low_error, &principles->no_unrelated, &principles->complete}) {
    if (verdict->holds == false) return Standing::fails;
    if (!verdict->holds) standing = Standing::open;
  }
  return standing;
}

const MetricScores* infidelity_of(const Row& row) {
  const MetricScores* found = nullptr;
  for (const MetricScores& metric : row.metrics) {
    if (metric.name == "infidelity") return &metric;
    if (found == nullptr && metric.name.starts_with("infidelity")) found = &metric;
  }
  return found;
}

std::vector<size_t> strongest_players_of(const MethodResult& method) {
  std::vector<size_t> order(method.values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(method.values[a].value_or(0)) > std::abs(method.values[b].value_or(0));
  });
  const size_t count = order.size();
  order.resize(std::min(count, count <= 3 ? size_t{1} : std::max<size_t>(3, count / 10)));
  while (!order.empty() && method.values[order.back()].value_or(0) == 0) order.pop_back();
  return order;
}

Trusted trusted_of(const Row& row) {
  std::vector<Candidate> alike = candidates_of(row);
  Trusted trusted;
  if (!alike.empty()) {
    const int best = std::min_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) {
                       return a.tier < b.tier;
                     })->tier;
    std::erase_if(alike, [&](const Candidate& one) { return one.tier != best; });
    const double enough = faithful_enough(alike, row);
    best_first(alike, enough);
    trusted.method = alike[0].method->name;
    trusted.standing = alike[0].standing;
    trusted.infidelity = alike[0].infidelity;
    for (const Candidate& one : alike) {
      trusted.among.push_back(one.method->name);
      if (one.infidelity && *one.infidelity <= enough) trusted.tied.push_back(one.method->name);
    }
    if (trusted.tied.size() < 2) trusted.tied.clear();
    compare_with_peers(trusted, alike);
  }
  say_how_sure(trusted, row);
  return trusted;
}

Trusted trusted_in(const Row& row) { return row.trusted ? *row.trusted : trusted_of(row); }

}  // namespace ascribe::core::document
