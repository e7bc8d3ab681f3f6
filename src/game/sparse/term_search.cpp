#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "game/sparse/terms.h"
#include "runtime/kernels/blas.h"

namespace ascribe::core {

namespace {

constexpr int64_t kSearchRows = 512, kSearchPlayers = 64;
constexpr int64_t kMostExtending = 384;  // players that sets are extended by
constexpr int64_t kLeastSearchRows = 6;  // in which a term is 1, and in which it is 0
constexpr double kAlways = 1e300;        // of players that sets are extended by in any case
constexpr double kBetter = 1.02;         // a larger set must explain more by this factor

struct SearchNode {
  Term term;
  double score = 0;
  bool known = false;  // a term of the fit
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
double chance_variance(const BitColumns& bits, size_t k, bool disjunction) {
  const auto n = static_cast<double>(bits.players());
  double sum = 0;
  for (const int32_t size : bits.sizes()) {
    const double present = disjunction ? n - size : size;
    double share = 1;
    for (size_t i = 0; i < k; ++i) {
      share *= std::max(0.0, present - static_cast<double>(i)) / std::max(1.0, n - static_cast<double>(i));
    }
    sum += share * (1 - share);
  }
  return sum;
}

// Sums of the residuals over rows of each node in which each of the players is present: [nodes, players].
std::vector<double> sums_with_players(const BitColumns& bits, const std::vector<std::vector<double>>& masked,
                                      const std::vector<int>& players) {
  const auto nodes = std::ssize(masked), count = std::ssize(players);
  std::vector<double> result(static_cast<size_t>(nodes * count));
  std::vector<double> block(static_cast<size_t>(nodes * kSearchRows));
  for (int64_t first = 0; first < bits.words(); first += kSearchRows / 64) {
    const int64_t words = std::min(kSearchRows / 64, bits.words() - first), rows = words * 64;
    for (int64_t i = 0; i < nodes; ++i) std::copy_n(masked[i].begin() + first * 64, rows, block.begin() + i * rows);
    parallel_for((count + kSearchPlayers - 1) / kSearchPlayers, 1, [&](int64_t begin, int64_t end) {
      std::vector<double> present(static_cast<size_t>(kSearchPlayers * rows));
      for (int64_t tile = begin; tile < end; ++tile) {
        const int64_t from = tile * kSearchPlayers, here = std::min(kSearchPlayers, count - from);
        for (int64_t p = 0; p < here; ++p) {
          const auto column = bits.column(players[static_cast<size_t>(from + p)]);
          for (int64_t w = 0; w < words; ++w) {
            const uint64_t word = column[static_cast<size_t>(first + w)];
            double* out = present.data() + p * rows + w * 64;
            for (int64_t b = 0; b < 64; ++b) out[b] = static_cast<double>(word >> b & 1);
          }
        }
        multiply_tile(nodes, here, rows, {block.data(), rows, false}, {present.data(), rows, true}, 1,
                      result.data() + from, count);
      }
    });
  }
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
  OneSearch(const BitColumns& bits, std::vector<double> residuals, const TermFit& fit, const SearchSettings& settings)
      : bits_(bits), residuals_(std::move(residuals)), fit_(fit), settings_(settings) {
    for (const double residual : residuals_) variance_ += residual * residual;
    variance_ /= static_cast<double>(residuals_.size());
    residuals_.resize(static_cast<size_t>(bits_.words() * 64));
  }

  double score(double sum, size_t size, bool disjunction) {
    auto& known = chances_[disjunction ? 1 : 0];
    while (known.size() <= size) known.push_back(chance_variance(bits_, known.size(), disjunction));
    const double units = variance_ * known[size];
    return units > 0 ? sum * sum / units : 0;
  }

  std::vector<double> singles(const std::vector<int>& everyone) {
    std::vector<double> scores = sums_with_players(bits_, {residuals_}, everyone);
    for (double& one : scores) one = score(one, 1, false);
    return scores;
  }

  std::vector<SearchNode> search(std::vector<SearchNode> frontier, const std::vector<int>& players) {
    std::vector<SearchNode> found;
    for (int order = 1; !frontier.empty() && order <= settings_.largest_order; ++order) {
      std::vector<SearchNode> next;
      if (order < settings_.largest_order) next = extended(frontier, players);
      for (SearchNode& node : frontier) {
        if (!node.known && node.score >= settings_.least) found.push_back(std::move(node));
      }
      frontier = std::move(next);
    }
    return found;
  }

 private:
  // Children that explain more than each of their parents here; parents that have such a child are no longer found.
  std::vector<SearchNode> extended(std::vector<SearchNode>& frontier, const std::vector<int>& players) {
    std::vector<std::vector<double>> masked(frontier.size());
    std::vector<double> totals(frontier.size());
    for (size_t i = 0; i < frontier.size(); ++i) {
      const Term& term = frontier[i].term;
      masked[i].assign(residuals_.size(), 0.0);
      std::vector<uint64_t> rows = column_of(bits_, term);
      if (term.disjunction) {  // nobody of the set is present
        const std::vector<uint64_t> everyone = bits_.all_of({});
        for (size_t w = 0; w < rows.size(); ++w) rows[w] = everyone[w] & ~rows[w];
      }
      for_bits(rows, 0, [&](int64_t row) {
        masked[i][static_cast<size_t>(row)] = residuals_[static_cast<size_t>(row)];
        totals[i] += residuals_[static_cast<size_t>(row)];
      });
    }
    const std::vector<double> sums = sums_with_players(bits_, masked, players);
    std::map<Term, SearchNode> children;
    for (size_t i = 0; i < frontier.size(); ++i) {
      for (size_t p = 0; p < players.size(); ++p) {
        const std::vector<int>& set = frontier[i].term.set;
        if (std::binary_search(set.begin(), set.end(), players[p])) continue;
        const double with_player = sums[i * players.size() + p];
        const bool disjunction = frontier[i].term.disjunction;
        const double value = score(disjunction ? totals[i] - with_player : with_player, set.size() + 1, disjunction);
        if (value < settings_.least / 2 || value < kBetter * frontier[i].score) continue;
        if (!allowed(settings_.hints, set, players[p])) continue;
        Term term{with(set, players[p]), disjunction};
        children[term] = {term, value, false};
      }
    }
    for (const SearchNode& hinted : hinted_) {
      if (std::ssize(hinted.term.set) == std::ssize(frontier[0].term.set) + 1) children.emplace(hinted.term, hinted);
    }
    std::vector<SearchNode> next;
    const std::vector<uint64_t> everyone = bits_.all_of({});
    for (auto& [term, node] : children) {
      const auto count = common_bits(column_of(bits_, term), everyone);
      if (count < kLeastSearchRows || bits_.rows() - count < kLeastSearchRows) continue;
      node.known = fit_.has(term);
      next.push_back(node);
    }
    std::sort(next.begin(), next.end(), stronger);
    if (std::ssize(next) > settings_.most_parents) next.resize(static_cast<size_t>(settings_.most_parents));
    const size_t order = frontier[0].term.set.size() + 1;
    for (size_t t = 1; t < fit_.size() && std::ssize(next) < 2 * settings_.most_parents; ++t) {
      const Term& term = fit_.terms()[t];
      if (term.set.size() == order && children.find(term) == children.end()) next.push_back({term, 0, true});
    }
    // A parent is not found if a child that is kept explains more.
    std::map<Term, SearchNode*> parents;
    for (SearchNode& node : frontier) parents[node.term] = &node;
    for (const SearchNode& child : next) {
      for (const int player : child.term.set) {
        Term smaller = child.term;
        std::erase(smaller.set, player);
        for (const bool disjunction : {false, true}) {
          smaller.disjunction = disjunction;
          const auto at = parents.find(smaller);
          if (at != parents.end() && child.score >= kBetter * at->second->score) at->second->known = true;
        }
      }
    }
    return next;
  }

  const BitColumns& bits_;
  std::vector<double> residuals_;
  const TermFit& fit_;
  const SearchSettings& settings_;
  double variance_ = 0;
  std::vector<double> chances_[2];
  std::vector<SearchNode> hinted_;

 public:
  // Sets of two or more players that are looked at whatever their subsets explain.
  void hint(const Term& term) {
    double sum = 0;
    for_bits(column_of(bits_, term), 0, [&](int64_t row) { sum += residuals_[static_cast<size_t>(row)]; });
    hinted_.push_back({term, score(sum, term.set.size(), term.disjunction), fit_.has(term)});
  }
};

}  // namespace

TermSearch::TermSearch(const BitColumns& bits)
    : bits_(bits), by_size_(static_cast<size_t>(bits.rows())), best_single_(static_cast<size_t>(bits.players())) {
  std::iota(by_size_.begin(), by_size_.end(), 0);
  std::stable_sort(by_size_.begin(), by_size_.end(), [&](int32_t a, int32_t b) {
    return bits_.sizes()[static_cast<size_t>(a)] < bits_.sizes()[static_cast<size_t>(b)];
  });
}

std::vector<Term> TermSearch::find(const TermFit& fit, const SearchSettings& settings) {
  OneSearch search(bits_, around_sizes(fit.residuals(), by_size_, bits_.sizes()), fit, settings);
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
      if (candidate.set.size() > 1 && std::ssize(candidate.set) <= settings.largest_order) {
        search.hint({candidate.set, false});
      }
    }
  }
  // Players that have told something so far, the strongest first.
  std::vector<int> players = everyone;
  std::stable_sort(players.begin(), players.end(), [&](int a, int b) {
    return best_single_[static_cast<size_t>(a)] > best_single_[static_cast<size_t>(b)];
  });
  if (std::ssize(players) > kMostExtending) players.resize(static_cast<size_t>(kMostExtending));
  std::sort(players.begin(), players.end());

  std::vector<SearchNode> frontier;
  for (const int player : everyone) {
    const bool known = fit.has({{player}, false});
    const double score = singles[static_cast<size_t>(player)];
    const bool hinted = best_single_[static_cast<size_t>(player)] == kAlways;
    if (known || hinted || score >= 4) frontier.push_back({{{player}, false}, score, known});
  }
  std::sort(frontier.begin(), frontier.end(),
            [](const SearchNode& a, const SearchNode& b) { return a.known != b.known ? a.known : stronger(a, b); });
  if (std::ssize(frontier) > 2 * settings.most_parents) {
    frontier.resize(static_cast<size_t>(2 * settings.most_parents));
  }
  if (settings.disjunctions) {
    const size_t conjunctions = frontier.size();
    for (size_t i = 0; i < conjunctions; ++i) {
      frontier.push_back(frontier[i]);
      frontier.back().term.disjunction = true;
      frontier.back().known = true;  // the same as the conjunction
    }
  }
  std::vector<SearchNode> found = search.search(std::move(frontier), players);
  std::sort(found.begin(), found.end(), stronger);
  // Of sets that have much in common the strongest only: the others may be its shadows.
  std::vector<Term> result;
  for (const SearchNode& node : found) {
    if (std::ssize(result) >= settings.most_found) break;
    const bool shadow = std::any_of(result.begin(), result.end(), [&](const Term& other) {
      std::vector<int> common;
      std::set_intersection(other.set.begin(), other.set.end(), node.term.set.begin(), node.term.set.end(),
                            std::back_inserter(common));
      return 2 * common.size() >= std::min(other.set.size(), node.term.set.size());
    });
    if (!shadow) result.push_back(node.term);
  }
  return result;
}

}  // namespace ascribe::core
