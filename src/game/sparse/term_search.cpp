#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "game/sparse/player_sums.h"
#include "game/sparse/terms.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostExtending = 256;  // players that sets are extended by
constexpr int64_t kMostChildren = 6;     // of a set
constexpr int64_t kLeastSearchRows = 6;  // in which a term is 1, and in which it is 0
constexpr double kSmallSets = 3;         // players: sets up to here are extended easily
constexpr double kAlways = 1e300;        // of players that sets are extended by in any case

struct SearchNode {
  SparseTerm term;
  double score = 0;  // squared correlation with the residuals, in units of chance
};

// Residuals around their mean among rows of about the same size.
std::vector<double> around_sizes(std::span<const double> residuals, std::span<const int32_t> by_size,
                                 std::span<const int32_t> sizes) {
  std::vector<double> result(residuals.begin(), residuals.end());
  const size_t rows = by_size.size(), least = std::max<size_t>(25, rows / 48);
  for (size_t begin = 0; begin < rows;) {
    size_t end = std::min(rows, begin + least);
    while (end < rows && sizes[static_cast<size_t>(by_size[end])] == sizes[static_cast<size_t>(by_size[end - 1])])
      ++end;
    if (rows - end < least) end = rows;
    double mean = 0;
    for (size_t i = begin; i < end; ++i) mean += residuals[static_cast<size_t>(by_size[i])];
    mean /= static_cast<double>(end - begin);
    for (size_t i = begin; i < end; ++i) result[static_cast<size_t>(by_size[i])] -= mean;
    begin = end;
  }
  return result;
}

// Of a set of k players: the sum over rows of its variance among coalitions of the row's size.
double chance_variance(const BitColumns& bits, size_t k, TermKind kind) {
  const auto n = static_cast<double>(bits.players());
  double sum = 0;
  for (const int32_t size : bits.sizes()) {
    const double present = kind == TermKind::disjunction ? n - size : size;
    double share = 1;
    for (size_t i = 0; i < k; ++i) {
      share *= std::max(0.0, present - static_cast<double>(i)) / std::max(1.0, n - static_cast<double>(i));
    }
    sum += share * (1 - share);
  }
  return sum;
}

// Rows that count for a node's children, and what is summed over them.
struct CountingRows {
  std::vector<uint64_t> rows;
  std::span<const double> values;
};

// Sums over rows of each node in which each of the players is present: [nodes, players].
std::vector<double> sums_with_players(const PlayerSums& players, const std::vector<CountingRows>& nodes) {
  const int64_t count = players.players();
  std::vector<double> result(nodes.size() * static_cast<size_t>(count));
  parallel_for(std::ssize(nodes), 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const CountingRows& node = nodes[static_cast<size_t>(i)];
      players.over(node.rows, node.values, std::span(result).subspan(static_cast<size_t>(i * count)));
    }
  });
  return result;
}

bool allowed(const SparseHints* hints, const std::vector<int>& set, int player) {
  if (hints == nullptr || !hints->never_meet) return true;
  return std::none_of(set.begin(), set.end(),
                      [&](int other) { return hints->never_meet(std::min(other, player), std::max(other, player)); });
}

std::vector<int> with(std::vector<int> set, int player) {
  set.insert(std::lower_bound(set.begin(), set.end(), player), player);
  return set;
}

bool stronger(const SearchNode& a, const SearchNode& b) {
  return a.score != b.score ? a.score > b.score : a.term < b.term;
}

// One search: the frontier of sets of a size, and what is found.
class OneSearch {
 public:
  OneSearch(const BitColumns& bits, std::vector<double> residuals, const TermFit& fit, const SearchSettings& settings,
            bool thorough = false)
      : bits_(bits), residuals_(std::move(residuals)), fit_(fit), settings_(settings), thorough_(thorough) {
    for (const double residual : residuals_) variance_ += residual * residual;
    variance_ /= static_cast<double>(residuals_.size());
    everyone_ = bits_.all_of({});
  }

  double score(double sum, size_t size, TermKind kind) {
    auto& known = chances_[kind == TermKind::disjunction ? 1 : 0];
    while (known.size() <= size) known.push_back(chance_variance(bits_, known.size(), kind));
    const double units = variance_ * known[size];
    return units > 0 ? sum * sum / units : 0;
  }

  std::vector<double> singles(const std::vector<int>& everyone) {
    std::vector<double> scores = sums_with_players(PlayerSums(bits_, everyone), {{everyone_, residuals_}});
    for (double& one : scores) one = score(one, 1, TermKind::conjunction);
    return scores;
  }

  // All sets that were looked at and are worth their price.
  std::vector<SearchNode> search(std::vector<SearchNode> frontier, const std::vector<int>& players) {
    const PlayerSums extending(bits_, players);
    std::vector<SearchNode> found;
    for (size_t order = 1; !frontier.empty() && order < settings_.prices.size(); ++order) {
      for (const SearchNode& node : frontier) {
        if (gain(node) > 0 && !fit_.has(node.term)) found.push_back(node);
      }
      if (order + 1 < settings_.prices.size()) frontier = extended(frontier, players, extending);
    }
    return found;
  }

  double gain(const SearchNode& node) const { return node.score - settings_.prices[node.term.set.size()]; }

  // Rows that count for the term's children: those in which it is complete, of a disjunction those without anybody.
  std::vector<uint64_t> counting(const SparseTerm& term) const {
    std::vector<uint64_t> rows = column_of(bits_, term);
    if (term.kind == TermKind::disjunction) {
      for (size_t w = 0; w < rows.size(); ++w) rows[w] = everyone_[w] & ~rows[w];
    }
    return rows;
  }

  // Scores of the sets with one player more: [nodes, players].
  std::vector<double> scores_of_children(const std::vector<SparseTerm>& nodes, const std::vector<CountingRows>& rows,
                                         const std::vector<int>& players) {
    std::vector<double> sums = sums_with_players(PlayerSums(bits_, players), rows);
    for (size_t i = 0; i < nodes.size(); ++i) {
      double total = 0;
      if (nodes[i].kind == TermKind::disjunction) {
        for_bits(rows[i].rows, 0, [&](int64_t row) { total += rows[i].values[static_cast<size_t>(row)]; });
      }
      for (size_t p = 0; p < players.size(); ++p) {
        double& sum = sums[i * players.size() + p];
        sum = score(nodes[i].kind == TermKind::disjunction ? total - sum : sum, nodes[i].set.size() + 1, nodes[i].kind);
      }
    }
    return sums;
  }

  bool counts(const SparseTerm& term) const {
    const int64_t count = common_bits(column_of(bits_, term), everyone_);
    return count >= kLeastSearchRows && bits_.rows() - count >= kLeastSearchRows;
  }

  // Sets of two or more players that are looked at whatever their subsets explain.
  void hint(const SparseTerm& term) {
    double sum = 0;
    for_bits(column_of(bits_, term), 0, [&](int64_t row) { sum += residuals_[static_cast<size_t>(row)]; });
    hinted_.push_back({term, score(sum, term.set.size(), term.kind)});
  }

  std::span<const double> residuals() const { return residuals_; }

 private:
  // Children whose further player matters where the parent's term counts, and terms of the fit of the same size.
  std::vector<SearchNode> extended(const std::vector<SearchNode>& frontier, const std::vector<int>& players,
                                   const PlayerSums& extending) {
    std::vector<SparseTerm> terms;
    std::vector<CountingRows> rows;
    for (const SearchNode& node : frontier) {
      terms.push_back(node.term);
      rows.push_back({counting(node.term), residuals_});
    }
    const std::vector<double> sums = sums_with_players(extending, rows);
    const size_t order = terms[0].set.size() + 1;
    // What a player must tell grows with the number of sets that were looked at to get here.
    const double further = thorough_ ? 0 : std::max(0.0, static_cast<double>(order) - kSmallSets);
    const double least = (1.5 + further) * std::log(static_cast<double>(bits_.players()));
    struct Child {
      double score, tells;
    };
    std::map<SparseTerm, Child> children;
    for (size_t i = 0; i < terms.size(); ++i) {
      const std::vector<int>& set = terms[i].set;
      const Split split = split_of(terms[i], rows[i].rows);
      std::vector<std::pair<double, size_t>> best;  // how much a player tells, and where it is
      for (size_t p = 0; p < players.size(); ++p) {
        const double off = sums[i * players.size() + p] - split.expected;
        if (off * off < least * variance_ * split.variance) continue;
        if (std::binary_search(set.begin(), set.end(), players[p])) continue;
        if (allowed(settings_.hints, set, players[p])) best.emplace_back(off * off / split.variance / variance_, p);
      }
      std::sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      if (std::ssize(best) > kMostChildren) best.resize(static_cast<size_t>(kMostChildren));
      for (const auto& [tells, p] : best) {
        const double sum = sums[i * players.size() + p];
        Child& child = children[{with(set, players[p]), terms[i].kind}];
        child.score = score(terms[i].kind == TermKind::disjunction ? split.total - sum : sum, order, terms[i].kind);
        child.tells = std::max(child.tells, tells);
      }
    }
    for (const SearchNode& hinted : hinted_) {
      if (hinted.term.set.size() == order) children.emplace(hinted.term, Child{hinted.score, hinted.score});
    }
    std::vector<std::pair<double, SearchNode>> ranked;
    for (const auto& [term, child] : children) ranked.push_back({child.tells, {term, child.score}});
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<SearchNode> next;
    for (const auto& [tells, node] : ranked) {
      if (std::ssize(next) < settings_.most_parents && counts(node.term)) next.push_back(node);
    }
    int64_t room = settings_.most_parents;
    for (size_t t = 1; t < fit_.size() && room > 0; ++t) {
      const SparseTerm& term = fit_.terms()[t];
      if (term.set.size() != order || children.find(term) != children.end()) continue;
      next.push_back({term, 0});
      --room;
    }
    return next;
  }

  // Of the rows in which a term's children may count: the sum of the residuals, what that of a player who tells nothing
  // is expected to be, and its variance. Of coalitions of a size, each further player is in the same share.
  struct Split {
    double total = 0, expected = 0, variance = 0;
  };
  Split split_of(const SparseTerm& term, std::span<const uint64_t> rows) const {
    Split split;
    const auto others = static_cast<double>(bits_.players() - std::ssize(term.set));
    for_bits(rows, 0, [&](int64_t row) {
      const int32_t size = bits_.sizes()[static_cast<size_t>(row)];
      const double share = std::max(
          0.0, (term.kind == TermKind::disjunction ? size : size - static_cast<double>(term.set.size())) / others);
      split.total += residuals_[static_cast<size_t>(row)];
      split.expected += residuals_[static_cast<size_t>(row)] * share;
      split.variance += share * (1 - share);
    });
    split.variance = std::max(split.variance, 1e-300);
    return split;
  }

  const BitColumns& bits_;
  std::vector<double> residuals_;
  const TermFit& fit_;
  const SearchSettings& settings_;
  const bool thorough_;
  double variance_ = 0;
  std::vector<uint64_t> everyone_;
  std::vector<double> chances_[2];
  std::vector<SearchNode> hinted_;
};

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

TermSearch::TermSearch(const BitColumns& bits)
    : bits_(bits), by_size_(static_cast<size_t>(bits.rows())), best_single_(static_cast<size_t>(bits.players())) {
  std::iota(by_size_.begin(), by_size_.end(), 0);
  std::stable_sort(by_size_.begin(), by_size_.end(), [&](int32_t a, int32_t b) {
    return bits_.sizes()[static_cast<size_t>(a)] < bits_.sizes()[static_cast<size_t>(b)];
  });
}

std::vector<SparseTerm> TermSearch::find(const TermFit& fit, const SearchSettings& settings, bool thorough) {
  OneSearch search(bits_, around_sizes(fit.residuals(), by_size_, bits_.sizes()), fit, settings, thorough);
  std::vector<int> everyone(static_cast<size_t>(bits_.players()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::vector<double> singles = search.singles(everyone);
  for (size_t i = 0; i < singles.size(); ++i) best_single_[i] = std::max(best_single_[i], singles[i]);
  for (size_t t = 1; t < fit.size(); ++t) {
    for (const int player : fit.terms()[t].set) best_single_[static_cast<size_t>(player)] = kAlways;
  }
  if (settings.hints != nullptr) {
    for (const auto& candidate : settings.hints->candidates) {
      for (const int player : candidate.set) best_single_[static_cast<size_t>(player)] = kAlways;
      if (candidate.set.size() > 1 && candidate.set.size() < settings.prices.size()) {
        search.hint({candidate.set});
      }
    }
  }
  std::vector<SearchNode> frontier;
  for (const int player : everyone) {
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
    frontier.push_back(frontier[i]);
    frontier.back().term.kind = TermKind::disjunction;
    frontier.back().score = std::min(frontier.back().score, settings.prices[1]);  // found as a conjunction
  }
  std::vector<SearchNode> found = search.search(std::move(frontier), extending());
  std::sort(found.begin(), found.end(), [&](const SearchNode& a, const SearchNode& b) {
    return search.gain(a) != search.gain(b) ? search.gain(a) > search.gain(b) : a.term < b.term;
  });
  return without_shadows(found, settings.most_found);
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

// With a term taken out of the fit, its own score and those of its neighbours are comparable. Sets are extended by
// every player, because one whose effects cancel tells nothing alone.
std::vector<SparseTerm> TermSearch::rivals(const TermFit& fit, const SearchSettings& settings, bool by_everyone) {
  OneSearch search(bits_, around_sizes(fit.residuals(), by_size_, bits_.sizes()), fit, settings);
  std::vector<int> everyone(best_single_.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::vector<int> told = extending();
  std::vector<SparseTerm> result;
  constexpr size_t kAtOnce = 32;  // terms
  for (size_t first = 1; first < fit.size(); first += kAtOnce) {
    struct Nodes {
      std::vector<SparseTerm> terms;
      std::vector<size_t> owner;
      std::vector<CountingRows> rows;
    };
    Nodes same, smaller;
    std::vector<std::vector<double>> kept;  // residuals without a term, which the nodes read
    kept.reserve(kAtOnce);
    std::vector<SearchNode> best;
    for (size_t t = first; t < std::min(fit.size(), first + kAtOnce); ++t) {
      const SparseTerm& term = fit.terms()[t];
      std::vector<double>& left = kept.emplace_back(search.residuals().begin(), search.residuals().end());
      for_bits(column_of(bits_, term), 0,
               [&](int64_t row) { left[static_cast<size_t>(row)] += fit.coefficients()[t]; });
      left = around_sizes(left, by_size_, bits_.sizes());
      const auto scored = [&](const SparseTerm& other) {
        double sum = 0;
        for_bits(column_of(bits_, other), 0, [&](int64_t row) { sum += left[static_cast<size_t>(row)]; });
        return SearchNode{other, search.score(sum, other.set.size(), other.kind)};
      };
      const auto extend = [&](Nodes& nodes, const SparseTerm& other) {
        nodes.terms.push_back(other);
        nodes.owner.push_back(t - first);
        nodes.rows.push_back({search.counting(other), left});
      };
      best.push_back(scored(term));
      best.back().score += 2;  // what a rival must do better
      if (settings.disjunctions && term.set.size() > 1) {
        const bool all = term.kind == TermKind::conjunction;
        const SearchNode other = scored({term.set, all ? TermKind::disjunction : TermKind::conjunction});
        if (search.gain(other) > search.gain(best.back())) best.back() = other;
      }
      if (term.set.size() + 1 < settings.prices.size()) extend(same, term);
      for (size_t i = 0; term.set.size() > 1 && i < term.set.size(); ++i) {
        SparseTerm less = term;
        less.set.erase(less.set.begin() + static_cast<int64_t>(i));
        if (less.set.size() > 1) extend(smaller, less);
        else less.kind = TermKind::conjunction;
        const SearchNode own = scored(less);
        if (search.gain(own) > search.gain(best.back())) best.back() = own;
      }
    }
    const auto compare = [&](const Nodes& nodes, const std::vector<int>& players) {
      if (nodes.terms.empty()) return;
      const std::vector<double> scores = search.scores_of_children(nodes.terms, nodes.rows, players);
      for (size_t i = 0; i < nodes.terms.size(); ++i) {
        const std::vector<int>& set = nodes.terms[i].set;
        for (size_t p = 0; p < players.size(); ++p) {
          const double score = scores[i * players.size() + p];
          if (score - settings.prices[set.size() + 1] <= search.gain(best[nodes.owner[i]])) continue;
          if (std::binary_search(set.begin(), set.end(), players[p])) continue;
          if (!allowed(settings.hints, set, players[p])) continue;
          const SearchNode child{{with(set, players[p]), nodes.terms[i].kind}, score};
          if (search.counts(child.term)) best[nodes.owner[i]] = child;
        }
      }
    };
    compare(same, by_everyone ? everyone : told);
    compare(smaller, told);
    for (const SearchNode& one : best) {
      if (!fit.has(one.term)) result.push_back(one.term);
    }
  }
  for (const SparseTerm& one : in_common(fit.terms(), settings.prices.size() - 1)) {
    if (!fit.has(one) && search.counts(one) && (settings.hints == nullptr || may_meet(*settings.hints, one.set))) {
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
