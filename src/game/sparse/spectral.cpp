// "spectral": the Walsh (Fourier) coefficients of a sparse function, by aliasing and decoding.
//   f(x) = sum over k of F(k) (-1)^(number of players of k in x)
// Coalitions are x = M l + d over the field of two elements, for all l of b bits: M is a random matrix of players and
// bits, d an offset. The Walsh transform over l adds up, in bin j, all F(k) with M' k = j, with the sign (-1)^<k, d>.
// If one coefficient dominates a bin, its signs under the offsets of a linear code are the parities that tell k
// (linear_code.h; the least reliable ones are tried both ways), and M' k = j checks it. What is found is fitted to all
// coalitions together, and bins of the residuals are decoded again: coefficients in the same bin appear one by one.
// At last the sets inside of those found are fitted as conjunctions, and what is left is searched for; the cheaper of
// both descriptions stays.
// In the manner of Kang et al., "SPEX: Scaling Feature Interaction Explanations for LLMs" (ICML 2025).
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/random.h"
#include "game/sparse/estimate_of_terms.h"
#include "game/sparse/linear_code.h"

namespace ascribe::core::effect_spectral {

constexpr uint64_t kMatrix = 51, kFresh = 52;  // streams of random numbers
constexpr int kGroups = 3;                     // matrices
constexpr int kUsualMembers = 5;               // of a set that is decoded, if the budget allows
constexpr int kLeastBits = 3, kMostBits = 16;
constexpr int kTriedBothWays = 3;  // parities
constexpr int kRounds = 12;
constexpr size_t kMostClosure = 500;  // sets inside of those found that are fitted, too

struct Design {
  int members = 0, bits = 0;
  int64_t coalitions(int64_t players) const {
    return int64_t{kGroups} * (int64_t{1} << bits) * (1 + LinearCode::parities_for(players, members));
  }
};

int64_t kept_out(int64_t budget) { return std::clamp<int64_t>(budget / 8, 32, 2000); }

// The most bins that the budget allows, with sets of five players; fewer players rather than less than four bits.
Design design_for(int64_t players, int largest_order, int64_t coalitions) {
  for (int members = std::min(kUsualMembers, largest_order);; --members) {
    Design design{members, kLeastBits};
    while (design.bits < kMostBits && Design{members, design.bits + 1}.coalitions(players) <= coalitions) ++design.bits;
    if (design.bits > kLeastBits || members <= 2) return design;
  }
}

// In place: sums with signs, without a factor.
void walsh(std::span<double> values) {
  for (size_t half = 1; half < values.size(); half *= 2) {
    for (size_t i = 0; i < values.size(); ++i) {
      if ((i & half) != 0) continue;
      const double a = values[i], b = values[i | half];
      values[i] = a + b;
      values[i | half] = a - b;
    }
  }
}

class Decoder {
 public:
  Decoder(int64_t players, const Design& design, uint64_t seed)
      : players_(players), design_(design), code_(players, design.members) {
    const Random random(seed, kMatrix);
    const uint32_t all = (1U << design.bits) - 1;
    for (uint64_t i = 0; i < static_cast<uint64_t>(kGroups * players); ++i) rows_.push_back(random.block(i)[0] & all);
  }

  // Group by group, offset by offset, l by l.
  Coalitions coalitions() const {
    Coalitions sets(players_);
    std::vector<uint64_t> words(static_cast<size_t>(sets.words_per_set()));
    for (int group = 0; group < kGroups; ++group) {
      for (int offset = 0; offset <= code_.parities(); ++offset) {
        for (uint32_t l = 0; l < bins(); ++l) {
          std::fill(words.begin(), words.end(), 0);
          for (int64_t player = 0; player < players_; ++player) {
            const bool shifted = offset > 0 && code_.counts(player, offset - 1);
            const bool odd = std::popcount(row(group, player) & l) % 2 != 0;
            if (odd != shifted) words[static_cast<size_t>(player / 64)] |= uint64_t{1} << (player % 64);
          }
          sets.add(std::span<const uint64_t>(words));
        }
      }
    }
    return sets;
  }

  // Sets whose coefficient dominates a bin, the strongest first.
  std::vector<std::vector<int>> decode(std::span<const double> values) const {
    const size_t offsets = static_cast<size_t>(code_.parities()) + 1;
    std::map<std::vector<int>, double> found;
    for (int group = 0; group < kGroups; ++group) {
      std::vector<std::vector<double>> transformed;
      for (size_t offset = 0; offset < offsets; ++offset) {
        const size_t first = (static_cast<size_t>(group) * offsets + offset) * bins();
        transformed.emplace_back(values.begin() + static_cast<int64_t>(first),
                                 values.begin() + static_cast<int64_t>(first + bins()));
        walsh(transformed.back());
      }
      for (uint32_t bin = 0; bin < bins(); ++bin) {
        std::vector<double> seen;
        for (const auto& one : transformed) seen.push_back(one[bin]);
        const auto [set, strength] = dominating(group, bin, seen);
        if (strength > 0 && !set.empty()) found[set] = std::max(found[set], strength);
      }
    }
    std::vector<std::pair<double, std::vector<int>>> ranked;
    for (const auto& [set, strength] : found) ranked.emplace_back(strength, set);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::vector<int>> result;
    for (auto& [strength, set] : ranked) result.push_back(std::move(set));
    return result;
  }

 private:
  uint32_t bins() const { return 1U << design_.bits; }
  uint32_t row(int group, int64_t player) const { return rows_[static_cast<size_t>(group * players_ + player)]; }

  std::pair<std::vector<int>, double> dominating(int group, uint32_t bin, const std::vector<double>& seen) const {
    double energy = 0;
    for (const double one : seen) energy += one * one;
    std::pair<std::vector<int>, double> best{{}, 0};
    if (energy == 0) return best;
    std::vector<size_t> order(seen.size() - 1);  // of the parities, the least reliable first
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return std::abs(seen[a]) < std::abs(seen[b]); });
    const size_t both = std::min<size_t>(kTriedBothWays, order.size());
    for (const bool turned : {false, true}) {  // the sign of the first one may be wrong, too
      for (size_t flips = 0; flips < size_t{1} << both; ++flips) {
        std::vector<uint8_t> parity;
        for (size_t p = 1; p < seen.size(); ++p) parity.push_back((seen[p] < 0) != (seen[0] < 0) ? 1 : 0);
        for (uint8_t& one : parity) one ^= turned ? 1 : 0;
        for (size_t i = 0; i < both; ++i) parity[order[i] - 1] ^= static_cast<uint8_t>(flips >> i & 1);
        const auto set = code_.decode(parity);
        if (!set) continue;
        uint32_t place = 0;
        for (const int player : *set) place ^= row(group, player);
        if (place != bin) continue;
        double sum = seen[0];
        for (size_t p = 1; p < seen.size(); ++p) {
          bool odd = false;
          for (const int player : *set) odd = odd != code_.counts(player, static_cast<int>(p) - 1);
          sum += odd ? -seen[p] : seen[p];
        }
        const double explained = sum * sum / static_cast<double>(seen.size());
        if (explained > 0.3 * energy && explained > best.second) best = {*set, explained};
      }
    }
    return best;
  }

  int64_t players_;
  Design design_;
  LinearCode code_;
  std::vector<uint32_t> rows_;  // of the matrices, [groups, players]
};

int64_t least_budget(int64_t players, int largest_order) {
  const int64_t design = Design{std::min(2, largest_order), kLeastBits}.coalitions(players) + 2;
  return std::max(design + 32, design * 8 / 7 + 1);
}

// All sets inside of the parities that were found; nothing if they are too many.
std::vector<SparseTerm> closure(const TermFit& fit) {
  std::set<SparseTerm> inside;
  for (const SparseTerm& term : fit.terms()) {
    for (uint64_t bits = 1; bits < uint64_t{1} << term.set.size(); ++bits) {
      SparseTerm smaller;
      for (size_t i = 0; i < term.set.size(); ++i) {
        if ((bits >> i & 1) != 0) smaller.set.push_back(term.set[i]);
      }
      inside.insert(std::move(smaller));
      if (inside.size() > kMostClosure) return {};
    }
  }
  return {inside.begin(), inside.end()};
}

SparseEstimate estimate(Game& game, const SparseRequest& request) {
  const int64_t players = game.players(), before = game.evaluations();
  const Coalitions fresh = draw_coalitions(players, 0, kept_out(request.budget), DrawnBy::halves, request.seed, kFresh);
  const std::vector<double> truth = finite_values(game, fresh, request.progress);
  const BitColumns fresh_bits(fresh, 0, fresh.size());
  TermModel model;
  const Design most = design_for(players, request.largest_order, request.budget - fresh.size() - 2);
  Coalitions ends(players);
  std::vector<int64_t> everyone(static_cast<size_t>(players));
  std::iota(everyone.begin(), everyone.end(), 0);
  ends.add(std::span<const int64_t>{});
  ends.add(everyone);
  const std::vector<double> at_ends = finite_values(game, ends, request.progress);
  model.empty = at_ends[0];
  model.full = at_ends[1];
  const Decoder decoder(players, most, request.seed);
  const Coalitions sets = decoder.coalitions();
  const std::vector<double> values = finite_values(game, sets, request.progress);
  model.bits = std::make_unique<BitColumns>(sets, 0, sets.size());
  model.fit = std::make_unique<TermFit>(*model.bits, values);
  const std::vector<double> prices = prices_of_terms(players, sets.size(), request.largest_order, 1);
  const auto allowed = [&](const std::vector<int>& set) {
    return may_meet(request.hints, set) && std::ssize(set) <= request.largest_order;
  };
  std::vector<SparseTerm> hinted;
  for (const auto& candidate : request.hints.candidates) {
    if (allowed(candidate.set)) hinted.push_back({candidate.set, TermKind::parity});
  }
  std::map<SparseTerm, int> tried;
  for (int round = 0; round < kRounds && !model.fit->exact() && model.fit->spread() > 0; ++round) {
    report(request.progress, "effects", round, kRounds);
    std::vector<SparseTerm> terms = round == 0 ? hinted : std::vector<SparseTerm>{};
    for (std::vector<int>& set : decoder.decode(model.fit->residuals())) {
      SparseTerm term{std::move(set), TermKind::parity};
      if (allowed(term.set) && ++tried[term] <= 2) terms.push_back(std::move(term));
    }
    const auto room = std::max<int64_t>(0, sets.size() / 3 - std::ssize(model.fit->terms()));
    terms.resize(std::min(terms.size(), static_cast<size_t>(room)));
    if (terms.empty()) break;
    model.fit->add(terms);
    model.fit->prune(prices);
  }
  // The same function with few dividends, if it has few; what is left may be conjunctions too large to dominate a bin.
  const std::vector<SparseTerm> inside = closure(*model.fit);
  if (model.fit->spread() > 0 && std::ssize(inside) < sets.size() / 2) {
    auto conjunctions = std::make_unique<TermFit>(*model.bits, values);
    std::vector<SparseTerm> candidates = inside;
    std::erase_if(candidates, [&](const SparseTerm& term) { return !allowed(term.set); });
    conjunctions->add(candidates);
    conjunctions->prune(prices);
    SearchSettings settings;
    settings.prices = prices;
    settings.hints = &request.hints;
    TermSearch search(*model.bits);
    find_terms(*conjunctions, search, settings, sets.size() / 4, request.progress);
    if (conjunctions->cost(prices) < model.fit->cost(prices)) model.fit = std::move(conjunctions);
  }
  model.held_out = held_out_fit(truth, model.fit->at(fresh_bits));
  const bool aimed = request.aim > 0 && model.held_out.defined && 1 - model.held_out.r2 <= request.aim;
  if (model.fit->spread() == 0 || (model.fit->exact() && model.held_out.rmse <= 1e-7 * model.held_out.spread)) {
    model.stop = SparseStop::all_found;
  } else if (aimed) {
    model.stop = SparseStop::aim;
  }
  model.evaluations = game.evaluations() - before;
  SparseEstimate result = estimate_of_terms(game, model);
  result.estimator = "spectral";
  result.notes.push_back(fmt::format("decoded in {} bins of {} groups; sets of at most {} players", 1 << most.bits,
                                     kGroups, most.members));
  return result;
}

const RegisterEffectEstimator registered({
    .name = "spectral",
    .title = "Walsh coefficients, aliased and decoded",
    .source = "in the manner of Kang et al., SPEX, 2025",
    .good_for = "few Walsh coefficients, parities among them: players that tell nothing in smaller groups",
    .estimate = estimate,
    .least_budget = least_budget,
});

}  // namespace ascribe::core::effect_spectral
