#include "game/sparse/term_beam.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "game/sparse/bit_sums.h"

namespace ascribe::core {

namespace {

constexpr size_t kMostChildren = 6;  // of a set
constexpr double kSmallSets = 3;     // players: sets up to here are extended easily

int kind_of(TermKind kind) { return kind == TermKind::disjunction ? 1 : 0; }

}  // namespace

std::vector<int> with(std::vector<int> set, int player) {
  set.insert(std::lower_bound(set.begin(), set.end(), player), player);
  return set;
}

bool allowed(const SparseHints* hints, const std::vector<int>& set, int player) {
  if (hints == nullptr || !hints->never_meet) return true;
  return std::none_of(set.begin(), set.end(),
                      [&](int other) { return hints->never_meet(std::min(other, player), std::max(other, player)); });
}

struct TermBeam::Extended : SearchNode {
  std::vector<uint64_t> rows;
};

struct TermBeam::Telling {
  double tells, sum, total;
  int player;
};

// A set as it is compared and looked up, without memory of its own.
struct TermBeam::Child {
  std::array<int16_t, kMostSparseOrder> set;
  TermKind kind;
  const Extended* parent = nullptr;  // nobody's: hinted
  int player = 0;
  double tells = 0, score = 0;

  explicit Child(const SparseTerm& term) : kind(term.kind) {
    set.fill(-1);
    std::copy(term.set.begin(), term.set.end(), set.begin());
  }
  Child(const Extended& from, int further) : kind(from.term.kind), parent(&from), player(further) {
    set.fill(-1);
    const std::vector<int>& own = from.term.set;
    const auto behind = std::lower_bound(own.begin(), own.end(), further);
    auto at = std::copy(own.begin(), behind, set.begin());
    *at = static_cast<int16_t>(further);
    std::copy(behind, own.end(), at + 1);
  }
  bool same(const Child& other) const { return set == other.set && kind == other.kind; }
  uint64_t hash() const {
    uint64_t mixed = static_cast<uint64_t>(kind) + 1;
    for (const int16_t player_of : set) mixed = (mixed ^ static_cast<uint16_t>(player_of)) * 0x9E3779B97F4A7C15;
    return mixed >> 32;
  }
  // Whether the other one is more promising; of equals the one whose set comes first.
  bool less_promising(const Child& other) const {
    if (tells != other.tells) return tells < other.tells;
    return set != other.set ? set > other.set : kind > other.kind;
  }
};

// Children of all sets of a size, each of them once.
class TermBeam::Children {
 public:
  explicit Children(size_t most) {
    size_t slots = 64;
    while (slots < 2 * most) slots *= 2;
    slots_.assign(slots, -1);
    all_.reserve(most);
  }
  // The one that is there, or this one.
  Child& at(const Child& child) {
    int32_t& slot = slot_of(child);
    if (slot < 0) {
      slot = static_cast<int32_t>(all_.size());
      all_.push_back(child);
    }
    return all_[static_cast<size_t>(slot)];
  }
  bool have(const Child& child) { return slot_of(child) >= 0; }
  // In no order any more.
  std::vector<Child> taken() { return std::move(all_); }

 private:
  int32_t& slot_of(const Child& child) {
    size_t at = child.hash() % slots_.size();
    while (slots_[at] >= 0 && !all_[static_cast<size_t>(slots_[at])].same(child)) at = (at + 1) % slots_.size();
    return slots_[at];
  }
  std::vector<int32_t> slots_;
  std::vector<Child> all_;
};

TermBeam::TermBeam(SearchRows& rows, std::vector<double> residuals, const TermFit& fit, const SearchSettings& settings,
                   bool thorough)
    : rows_(rows),
      residuals_(std::move(residuals)),
      fixed_(residuals_),
      fit_(fit),
      settings_(settings),
      thorough_(thorough) {
  for (const double residual : residuals_) variance_ += residual * residual;
  variance_ /= static_cast<double>(residuals_.size());
}

std::vector<double> TermBeam::singles() {
  std::vector<double> scores(rows_.players().size());
  rows_.sums_with(rows_.players()).over(rows_.everyone(), fixed_, scores);
  for (double& one : scores) one = score(one, 1, TermKind::conjunction);
  return scores;
}

void TermBeam::hint(const SparseTerm& term) {
  const double sum = bit_sums().sum(column_of(rows_.bits(), term), residuals_.data());
  hinted_.push_back({term, score(sum, term.set.size(), term.kind)});
}

std::vector<SearchNode> TermBeam::search(const std::vector<SearchNode>& singles, const std::vector<int>& players) {
  std::vector<Extended> frontier;
  for (const SearchNode& node : singles) frontier.push_back({node, rows_.counting(node.term)});
  std::vector<SearchNode> looked_at;
  for (size_t order = 1; !frontier.empty() && order < settings_.prices.size(); ++order) {
    looked_at.insert(looked_at.end(), frontier.begin(), frontier.end());
    if (order + 1 < settings_.prices.size()) frontier = next(frontier, players);
  }
  return looked_at;
}

// What the sum with a player who tells nothing is expected to be. Of all players that is their mean.
double TermBeam::expected_sum(const Extended& parent, const std::vector<double>& sums) const {
  if (sums.size() < rows_.players().size()) {
    return weighted_[kind_of(parent.term.kind)]->sum(parent.rows);
  }
  double all = 0;
  for (const double one : sums) all += one;
  for (const int member : parent.term.set) all -= sums[static_cast<size_t>(member)];
  return all / static_cast<double>(std::max<size_t>(1, sums.size() - parent.term.set.size()));
}

// The players that matter most where the parent's term counts.
std::vector<TermBeam::Telling> TermBeam::telling(const Extended& parent, const std::vector<int>& players,
                                                 const PlayerSums& sums, double least) const {
  std::vector<double> with_player(players.size());
  sums.over(parent.rows, fixed_, with_player);
  const std::vector<int>& set = parent.term.set;
  const int kind = kind_of(parent.term.kind);
  const double total = kind == 1 ? fixed_.sum(parent.rows) : 0;  // of conjunctions nobody asks
  const double expected = expected_sum(parent, with_player);
  const double variance = std::max(variance_of_share_[kind]->sum(parent.rows), 1e-300);
  std::vector<Telling> best;
  for (size_t p = 0; p < players.size(); ++p) {
    const double off = with_player[p] - expected;
    if (off * off < least * variance_ * variance) continue;
    if (std::binary_search(set.begin(), set.end(), players[p])) continue;
    if (!allowed(settings_.hints, set, players[p])) continue;
    best.push_back({off * off / variance / variance_, with_player[p], total, players[p]});
  }
  const size_t kept = std::min(best.size(), kMostChildren);
  std::partial_sort(
      best.begin(), best.begin() + static_cast<int64_t>(kept), best.end(),
      [](const Telling& a, const Telling& b) { return a.tells != b.tells ? a.tells > b.tells : a.player < b.player; });
  best.resize(kept);
  return best;
}

TermBeam::Extended TermBeam::grown(const Extended& parent, int player, double score_of_it) const {
  Extended result{{{with(parent.term.set, player), parent.term.kind}, score_of_it}, parent.rows};
  const auto column = rows_.bits().column(player);
  const uint64_t flipped = parent.term.kind == TermKind::disjunction ? ~uint64_t{0} : 0;
  for (size_t w = 0; w < column.size(); ++w) result.rows[w] &= column[w] ^ flipped;
  return result;
}

// Children whose further player matters where the parent's term counts, and terms of the fit of the same size.
std::vector<TermBeam::Extended> TermBeam::next(const std::vector<Extended>& frontier, const std::vector<int>& players) {
  const PlayerSums& sums = rows_.sums_with(players);
  const size_t before = frontier[0].term.set.size(), order = before + 1;
  // What a player must tell grows with the number of sets that were looked at to get here.
  const double further = thorough_ ? 0 : std::max(0.0, static_cast<double>(order) - kSmallSets);
  const double least = (1.5 + further) * std::log(static_cast<double>(rows_.bits().players()));
  for (const TermKind kind : {TermKind::conjunction, TermKind::disjunction}) {
    if (kind == TermKind::disjunction && !settings_.disjunctions) continue;
    const SearchRows::Shares& shares = rows_.shares(before, kind);
    variance_of_share_[kind_of(kind)] = &shares.variance;
    if (players.size() == rows_.players().size()) continue;
    std::vector<double> weighted(residuals_.size());
    for (size_t row = 0; row < weighted.size(); ++row) weighted[row] = residuals_[row] * shares.expected[row];
    weighted_[kind_of(kind)].emplace(weighted);
  }
  std::vector<std::vector<Telling>> best(frontier.size());
  parallel_for(std::ssize(frontier), 4, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      best[i] = telling(frontier[i], players, sums, least);
    }
  });
  Children children(frontier.size() * kMostChildren + hinted_.size());
  for (size_t i = 0; i < frontier.size(); ++i) {
    const TermKind kind = frontier[i].term.kind;
    for (const Telling& one : best[i]) {
      Child& child = children.at(Child(frontier[i], one.player));
      child.score = score(kind == TermKind::disjunction ? one.total - one.sum : one.sum, order, kind);
      child.tells = std::max(child.tells, one.tells);
    }
  }
  for (const SearchNode& hinted : hinted_) {
    if (hinted.term.set.size() != order || children.have(Child(hinted.term))) continue;
    children.at(Child(hinted.term)).tells = hinted.score;
    children.at(Child(hinted.term)).score = hinted.score;
  }
  std::vector<const SparseTerm*> fitted;  // that no child is
  for (size_t t = 1; t < fit_.size() && std::ssize(fitted) < settings_.most_parents; ++t) {
    const SparseTerm& term = fit_.terms()[t];
    if (term.set.size() == order && !children.have(Child(term))) fitted.push_back(&term);
  }
  std::vector<Child> ranked = children.taken();
  const auto less = [](const Child& a, const Child& b) { return a.less_promising(b); };
  std::make_heap(ranked.begin(), ranked.end(), less);
  std::vector<Extended> result;
  for (auto last = ranked.end(); last != ranked.begin() && std::ssize(result) < settings_.most_parents; --last) {
    std::pop_heap(ranked.begin(), last, less);
    const Child& child = *(last - 1);
    Extended one;
    if (child.parent != nullptr) {
      one = grown(*child.parent, child.player, child.score);
    } else {
      one.term.kind = child.kind;
      one.term.set.assign(child.set.begin(), child.set.begin() + static_cast<int64_t>(order));
      one.score = child.score;
      one.rows = rows_.counting(one.term);
    }
    const int64_t count = common_bits(one.rows, one.rows);
    if (count >= kLeastSearchRows && rows_.bits().rows() - count >= kLeastSearchRows) result.push_back(std::move(one));
  }
  for (const SparseTerm* term : fitted) result.push_back({{*term, 0}, rows_.counting(*term)});
  return result;
}

}  // namespace ascribe::core
