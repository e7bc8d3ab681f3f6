#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "game/sparse/bit_sums.h"
#include "game/sparse/search_rows.h"
#include "game/sparse/term_beam.h"
#include "game/sparse/terms.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostExtending = 256;  // players that sets are extended by
constexpr double kAlways = 1e300;        // of players that sets are extended by in any case

bool stronger(const SearchNode& a, const SearchNode& b) {
  return a.score != b.score ? a.score > b.score : a.term < b.term;
}

// What terms have in common, and what they are together: sets that are too large, or too small, may stand for one.
std::vector<SparseTerm> in_common(const std::vector<SparseTerm>& terms, size_t largest) {
  constexpr int64_t kMost = 32;
  std::map<SparseTerm, int> times;
  for (size_t i = 1; i < terms.size(); ++i) {
    for (size_t j = 1; j < i; ++j) {
      if (terms[j].kind != terms[i].kind) continue;
      const std::vector<int>&a = terms[i].set, &b = terms[j].set;
      SparseTerm common{{}, terms[i].kind}, together{{}, terms[i].kind};
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common.set));
      if (common.set.size() < 2 || 2 * common.set.size() < std::max(a.size(), b.size())) continue;
      ++times[common];
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(together.set));
      if (together.set.size() <= largest) ++times[together];
    }
  }
  std::vector<std::pair<int, SparseTerm>> ranked;
  for (const auto& [term, count] : times) ranked.emplace_back(-count, term);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SparseTerm> result;
  for (const auto& [count, term] : ranked) {
    if (std::ssize(result) < kMost) result.push_back(term);
  }
  return result;
}

std::vector<SparseTerm> without_shadows(const std::vector<SearchNode>& found, int64_t most) {
  std::vector<SparseTerm> result;
  for (const SearchNode& node : found) {
    if (std::ssize(result) >= most) break;
    const bool shadow = std::any_of(result.begin(), result.end(), [&](const SparseTerm& other) {
      std::vector<int> common;
      std::set_intersection(other.set.begin(), other.set.end(), node.term.set.begin(), node.term.set.end(),
                            std::back_inserter(common));
      return 2 * common.size() >= std::min(other.set.size(), node.term.set.size());
    });
    if (!shadow) result.push_back(node.term);
  }
  return result;
}

}  // namespace

// What a search began with; the next one often begins with the same.
struct TermSearch::Begun {
  std::vector<double> residuals, best_single;
  std::vector<SparseTerm> terms;

  bool same(const TermFit& fit, const std::vector<double>& singles) const {
    return residuals == fit.residuals() && best_single == singles && terms == fit.terms();
  }
};

struct TermSearch::Looked {
  Begun begun;
  std::vector<SearchNode> nodes;
};

struct TermSearch::Rivals {
  Begun begun;
  std::vector<double> prices;
  std::vector<SparseTerm> terms;
};

TermSearch::TermSearch(const BitColumns& bits)
    : rows_(std::make_unique<SearchRows>(bits)), best_single_(static_cast<size_t>(bits.players())) {}

TermSearch::~TermSearch() = default;

std::vector<SparseTerm> TermSearch::find(const TermFit& fit, const SearchSettings& settings, bool thorough) {
  std::unique_ptr<Looked>& last = looked_[thorough ? 1 : 0];
  if (last == nullptr || !last->begun.same(fit, best_single_)) {  // prices do not decide which sets are looked at
    std::vector<SearchNode> nodes = look(fit, settings, thorough);
    last = std::make_unique<Looked>(Looked{{fit.residuals(), best_single_, fit.terms()}, std::move(nodes)});
  }
  const auto gain = [&](const SearchNode& node) { return node.score - settings.prices[node.term.set.size()]; };
  std::vector<SearchNode> found;
  for (const SearchNode& node : last->nodes) {
    if (gain(node) > 0 && !fit.has(node.term)) found.push_back(node);
  }
  std::sort(found.begin(), found.end(), [&](const SearchNode& a, const SearchNode& b) {
    return gain(a) != gain(b) ? gain(a) > gain(b) : a.term < b.term;
  });
  return without_shadows(found, settings.most_found);
}

// All sets that one search sees.
std::vector<SearchNode> TermSearch::look(const TermFit& fit, const SearchSettings& settings, bool thorough) {
  TermBeam beam(*rows_, rows_->around_sizes(fit.residuals()), fit, settings, thorough);
  const std::vector<double> singles = beam.singles();
  for (size_t i = 0; i < singles.size(); ++i) best_single_[i] = std::max(best_single_[i], singles[i]);
  for (size_t t = 1; t < fit.size(); ++t) {
    for (const int player : fit.terms()[t].set) best_single_[static_cast<size_t>(player)] = kAlways;
  }
  if (settings.hints != nullptr) {
    for (const auto& candidate : settings.hints->candidates) {
      for (const int player : candidate.set) best_single_[static_cast<size_t>(player)] = kAlways;
      if (candidate.set.size() > 1 && candidate.set.size() < settings.prices.size()) beam.hint({candidate.set});
    }
  }
  std::vector<SearchNode> frontier;
  for (const int player : rows_->players()) {
    const bool always = best_single_[static_cast<size_t>(player)] == kAlways;
    const double score = singles[static_cast<size_t>(player)];
    if (always || score >= 5) frontier.push_back({{{player}}, score});
  }
  std::sort(frontier.begin(), frontier.end(), stronger);
  if (std::ssize(frontier) > 2 * settings.most_parents) {
    frontier.resize(static_cast<size_t>(2 * settings.most_parents));
  }
  const size_t conjunctions = frontier.size();
  for (size_t i = 0; settings.disjunctions && i < conjunctions; ++i) {
    frontier.push_back({{frontier[i].term.set, TermKind::disjunction}, 0});  // found as a conjunction
  }
  return beam.search(frontier, extending());
}

std::vector<int> TermSearch::extending() const {
  std::vector<int> players(best_single_.size());
  std::iota(players.begin(), players.end(), 0);
  std::stable_sort(players.begin(), players.end(), [&](int a, int b) {
    return best_single_[static_cast<size_t>(a)] > best_single_[static_cast<size_t>(b)];
  });
  if (std::ssize(players) > kMostExtending) players.resize(static_cast<size_t>(kMostExtending));
  std::sort(players.begin(), players.end());
  return players;
}

namespace {

// Sets whose children are looked at in the place of a term: the owner, of those that are looked at together.
struct Nodes {
  std::vector<SparseTerm> terms;
  std::vector<size_t> owner;
  std::vector<std::vector<uint64_t>> rows;  // in which children may count
};

// Terms of the fit, some at a time, and what does best in the place of each.
class Exchange {
 public:
  Exchange(SearchRows& rows, const TermFit& fit, const SearchSettings& settings)
      : rows_(rows),
        fit_(fit),
        settings_(settings),
        beam_(rows, rows.around_sizes(fit.residuals()), fit, settings, false) {}

  // Of the terms [first, last); `told`: players that sets are extended by, `wider`: by whom terms themselves are.
  std::vector<SearchNode> best(size_t first, size_t last, const std::vector<int>& wider, const std::vector<int>& told) {
    Nodes same, smaller;
    left_.clear();
    rounded_.clear();
    best_.clear();
    for (size_t t = first; t < last; ++t) begin(t, t - first, same, smaller);
    compare(same, wider);
    compare(smaller, told);
    return std::move(best_);
  }
  bool counts(const SparseTerm& term) const {
    const int64_t count = common_bits(column_of(rows_.bits(), term), rows_.everyone());
    return count >= kLeastSearchRows && rows_.bits().rows() - count >= kLeastSearchRows;
  }

 private:
  double gain(const SearchNode& node) const { return node.score - settings_.prices[node.term.set.size()]; }
  // In the place of the owner.
  SearchNode scored(const SparseTerm& term, size_t owner) {
    const double sum = bit_sums().sum(column_of(rows_.bits(), term), left_[owner].data());
    return {term, beam_.score(sum, term.set.size(), term.kind)};
  }
  void begin(size_t t, size_t owner, Nodes& same, Nodes& smaller);
  void compare(const Nodes& nodes, const std::vector<int>& players);

  SearchRows& rows_;
  const TermFit& fit_;
  const SearchSettings& settings_;
  TermBeam beam_;
  std::vector<std::vector<double>> left_;  // residuals without each of the terms
  std::vector<FixedValues> rounded_;
  std::vector<SearchNode> best_;
};

// With a term taken out of the fit, its own score and those of its neighbours are comparable.
void Exchange::begin(size_t t, size_t owner, Nodes& same, Nodes& smaller) {
  const SparseTerm& term = fit_.terms()[t];
  const std::vector<uint64_t> column = column_of(rows_.bits(), term);
  left_.push_back(rows_.without(beam_.residuals(), column, fit_.coefficients()[t]));
  rounded_.emplace_back(left_.back(), beam_.largest_residual() + std::abs(fit_.coefficients()[t]));
  const auto extend = [&](Nodes& nodes, const SparseTerm& other) {
    nodes.terms.push_back(other);
    nodes.owner.push_back(owner);
    nodes.rows.push_back(rows_.counting(other));
  };
  SearchNode best = scored(term, owner);
  best.score += 2;  // what a rival must do better
  if (settings_.disjunctions && term.set.size() > 1) {
    const bool all = term.kind == TermKind::conjunction;
    const SearchNode other = scored({term.set, all ? TermKind::disjunction : TermKind::conjunction}, owner);
    if (gain(other) > gain(best)) best = other;
  }
  if (term.set.size() + 1 < settings_.prices.size()) extend(same, term);
  for (size_t i = 0; term.set.size() > 1 && i < term.set.size(); ++i) {
    SparseTerm less = term;
    less.set.erase(less.set.begin() + static_cast<int64_t>(i));
    if (less.set.size() > 1) extend(smaller, less);
    else less.kind = TermKind::conjunction;
    const SearchNode own = scored(less, owner);
    if (gain(own) > gain(best)) best = own;
  }
  best_.push_back(std::move(best));
}

void Exchange::compare(const Nodes& nodes, const std::vector<int>& players) {
  if (nodes.terms.empty()) return;
  const PlayerSums& with_players = rows_.sums_with(players);
  const size_t count = players.size();
  std::vector<double> sums(nodes.terms.size() * count), totals(nodes.terms.size());
  parallel_for(std::ssize(nodes.terms), 4, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const FixedValues& left = rounded_[nodes.owner[i]];
      with_players.over(nodes.rows[i], left, std::span(sums).subspan(i * count, count));
      if (nodes.terms[i].kind == TermKind::disjunction) totals[i] = left.sum(nodes.rows[i]);
    }
  });
  constexpr double kDone = -1;  // less than any score
  std::vector<double> scores(count);
  for (size_t i = 0; i < nodes.terms.size(); ++i) {
    const std::vector<int>& set = nodes.terms[i].set;
    const TermKind kind = nodes.terms[i].kind;
    for (size_t p = 0; p < count; ++p) {
      const double sum = kind == TermKind::disjunction ? totals[i] - sums[i * count + p] : sums[i * count + p];
      scores[p] = beam_.score(sum, set.size() + 1, kind);
    }
    for (const int member : set) {
      const auto at = std::lower_bound(players.begin(), players.end(), member);
      if (at != players.end() && *at == member) scores[static_cast<size_t>(at - players.begin())] = kDone;
    }
    // The sums are rounded: what may be best is compared again, exactly.
    SearchNode& best = best_[nodes.owner[i]];
    for (;;) {
      const auto top = std::max_element(scores.begin(), scores.end());
      if (*top == kDone || *top - settings_.prices[set.size() + 1] <= gain(best)) break;
      const int player = players[static_cast<size_t>(top - scores.begin())];
      *top = kDone;
      if (!allowed(settings_.hints, set, player)) continue;
      const SearchNode child = scored({with(set, player), kind}, nodes.owner[i]);
      if (gain(child) > gain(best) && counts(child.term)) best = child;
    }
  }
}

}  // namespace

std::vector<SparseTerm> TermSearch::rivals(const TermFit& fit, const SearchSettings& settings, bool by_everyone) {
  by_everyone = by_everyone && std::ssize(best_single_) > kMostExtending;  // else they are all among those told
  std::unique_ptr<Rivals>& last = rivals_[by_everyone ? 1 : 0];
  if (last == nullptr || last->prices != settings.prices || !last->begun.same(fit, best_single_)) {
    std::vector<SparseTerm> terms = rivals_of(fit, settings, by_everyone);
    last = std::make_unique<Rivals>(Rivals{{fit.residuals(), best_single_, fit.terms()}, settings.prices, terms});
  }
  return last->terms;
}

std::vector<SparseTerm> TermSearch::rivals_of(const TermFit& fit, const SearchSettings& settings, bool by_everyone) {
  constexpr size_t kAtOnce = 8;  // terms
  Exchange exchange(*rows_, fit, settings);
  const std::vector<int> told = extending();
  std::vector<SparseTerm> result;
  for (size_t first = 1; first < fit.size(); first += kAtOnce) {
    const size_t last = std::min(fit.size(), first + kAtOnce);
    for (const SearchNode& one : exchange.best(first, last, by_everyone ? rows_->players() : told, told)) {
      if (!fit.has(one.term)) result.push_back(one.term);
    }
  }
  for (const SparseTerm& one : in_common(fit.terms(), settings.prices.size() - 1)) {
    if (!fit.has(one) && exchange.counts(one) && (settings.hints == nullptr || may_meet(*settings.hints, one.set))) {
      result.push_back(one);
    }
  }
  return result;
}

std::vector<double> prices_of_terms(int64_t players, int64_t rows, int largest_order, double strictness) {
  std::vector<double> prices;
  for (int k = 0; k <= largest_order; ++k) {
    const double sets = std::lgamma(static_cast<double>(players) + 1) - std::lgamma(k + 1.0) -
                        std::lgamma(static_cast<double>(players - k) + 1);
    prices.push_back(strictness * (2 * sets + std::log(static_cast<double>(rows))));
  }
  return prices;
}

}  // namespace ascribe::core
