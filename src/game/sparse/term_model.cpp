#include "game/sparse/term_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kFitted = 41, kHeldOut = 42;  // streams of random numbers
constexpr int kMostRounds = 40;
constexpr int kMostTries = 2;                                // of a term, at one strictness
constexpr double kStrictness[] = {1, 0.6, 0.36, 0.2, 0.12};  // of prices that are tried

struct DrawnRows {
  Coalitions sets;
  std::vector<double> values;
};

// The mean of what `a` misses less than `b` by squares, in units of its standard error.
double better_by(std::span<const double> values, std::span<const double> a, std::span<const double> b) {
  double mean = 0, squares = 0;
  const auto count = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double less = (values[i] - b[i]) * (values[i] - b[i]) - (values[i] - a[i]) * (values[i] - a[i]);
    mean += less / count;
    squares += less * less / count;
  }
  const double variance = (squares - mean * mean) / std::max(1.0, count - 1);
  return variance > 0 ? mean / std::sqrt(variance) : 0;
}

// All sets there are, if they are few.
std::vector<SparseTerm> all_terms(int64_t players, const SparseRequest& request, int64_t most) {
  double count = 0;
  for (int k = 1; k <= request.largest_order; ++k) count += binomial(static_cast<int>(players), k);
  std::vector<SparseTerm> result;
  if (count > static_cast<double>(most)) return result;
  for (const uint64_t set : sets_up_to(static_cast<int>(players), request.largest_order)) {
    SparseTerm term{members_of(set)};
    if (may_meet(request.hints, term.set)) result.push_back(std::move(term));
  }
  return result;
}

// The first rows, the smallest coalitions first: sets are complete in many rows of one word and in none of another.
DrawnRows by_size(const DrawnRows& rows, int64_t count) {
  std::vector<int64_t> sizes, order(static_cast<size_t>(count));
  for (int64_t row = 0; row < count; ++row) sizes.push_back(common_bits(rows.sets.words(row), rows.sets.words(row)));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return sizes[static_cast<size_t>(a)] < sizes[static_cast<size_t>(b)]; });
  DrawnRows result{Coalitions(rows.sets.players()), {}};
  for (const int64_t row : order) {
    result.sets.add(rows.sets.words(row));
    result.values.push_back(rows.values[static_cast<size_t>(row)]);
  }
  return result;
}

struct FoundTerms {
  std::vector<SparseTerm> terms;
  double strictness = 1;
};

// Terms of the first rows, with the threshold that does best on the rows after them.
// `begin`: terms to begin with. Not `last`: only whether everything can be found matters.
FoundTerms search_in(const DrawnRows& rows, const SparseRequest& request, bool disjunctions,
                     const std::vector<SparseTerm>& begin, bool last) {
  const auto count = static_cast<int64_t>(rows.values.size()), searched = count - count / 5;
  DrawnRows sorted = by_size(rows, searched);
  const BitColumns bits(sorted.sets, 0, searched), rest(rows.sets, searched, count);
  const std::span<const double> checked = std::span(rows.values).subspan(static_cast<size_t>(searched));
  TermFit fit(bits, std::move(sorted.values));
  TermSearch search(bits);
  SearchSettings settings;
  settings.disjunctions = disjunctions;
  settings.hints = &request.hints;
  const auto priced = [&](double strictness) {
    settings.prices = prices_of_terms(rows.sets.players(), searched, request.largest_order, strictness);
  };
  priced(1);
  const int64_t most_terms = std::min<int64_t>(2000, searched / 4);
  const std::vector<SparseTerm> all = all_terms(rows.sets.players(), request, std::min<int64_t>(most_terms, 300));
  if (!begin.empty() || !all.empty()) {
    fit.add(begin);
    fit.add(all);
    fit.prune(settings.prices);
  }
  find_terms(fit, search, settings, most_terms, request.progress);
  TermFit best = fit;
  double best_strictness = 1;
  settings.again_thoroughly = false;
  std::vector<double> predicted = fit.at(rest);
  int in_vain = 0;  // one after the other
  for (size_t i = 1; i < std::size(kStrictness) && in_vain < 2 && last && !fit.exact(); ++i) {
    priced(kStrictness[i]);
    find_terms(fit, search, settings, most_terms, request.progress);
    std::vector<double> now = fit.at(rest);
    const double better = better_by(checked, now, predicted);
    if (better < -1) break;
    if (better < 2) {
      ++in_vain;
      continue;
    }
    in_vain = 0;
    best = fit;
    best_strictness = kStrictness[i];
    predicted = std::move(now);
  }
  // Weaker terms may only have helped the search on its way: what does as well without them is taken.
  for (size_t i = 0; i < std::size(kStrictness) && kStrictness[i] > best_strictness; ++i) {
    fit = best;
    priced(kStrictness[i]);
    fit.prune(settings.prices);
    find_terms(fit, search, settings, most_terms, request.progress);
    if (better_by(checked, predicted, fit.at(rest)) >= 1) continue;
    best = std::move(fit);
    best_strictness = kStrictness[i];
    break;
  }
  return {best.terms(), best_strictness};
}

// [a or b] + [a and b] = [a] + [b]: two players that act alone may be found as a pair of pairs, which the exchange of
// one term at a time never leaves. Single players are said instead, with the pair if it does something beside them,
// where that costs no more.
void say_singles(std::unique_ptr<TermFit>& fit, const BitColumns& bits, const std::vector<double>& values,
                 const std::vector<double>& prices) {
  const std::vector<SparseTerm> terms = fit->terms();
  for (const SparseTerm& both : terms) {
    const SparseTerm either{both.set, TermKind::disjunction};
    if (both.set.size() != 2 || both.kind != TermKind::conjunction || !fit->has(both) || !fit->has(either)) continue;
    for (const bool with_pair : {false, true}) {
      std::vector<SparseTerm> others = fit->terms();
      std::erase_if(others, [&](const SparseTerm& term) { return term == either || (term == both && !with_pair); });
      for (const int player : both.set) others.push_back({{player}});
      auto now = std::make_unique<TermFit>(bits, values);
      now->add(others);
      now->prune(prices);
      if (now->cost(prices) > fit->cost(prices)) continue;
      fit = std::move(now);
      break;
    }
  }
}

}  // namespace

void find_terms(TermFit& fit, TermSearch& search, const SearchSettings& settings, int64_t most_terms,
                const Progress& progress) {
  std::map<SparseTerm, int> tried;
  const auto fresh = [&](std::vector<SparseTerm> found) {
    std::erase_if(found, [&](const SparseTerm& term) { return ++tried[term] > kMostTries; });
    found.resize(
        std::min(found.size(), static_cast<size_t>(std::max<int64_t>(0, most_terms - std::ssize(fit.terms())))));
    return found;
  };
  for (int round = 0; round < kMostRounds && !fit.exact(); ++round) {
    report(progress, "effects", round, kMostRounds);
    std::vector<SparseTerm> found = fresh(search.find(fit, settings));
    if (found.empty() && settings.again_thoroughly) found = fresh(search.find(fit, settings, true));
    const std::vector<SparseTerm> rivals = fresh(search.rivals(fit, settings, found.empty()));
    found.insert(found.end(), rivals.begin(), rivals.end());
    if (found.empty()) break;
    TermFit before = fit;
    fit.add(found);
    fit.prune(settings.prices);
    if (fit.cost(settings.prices) < before.cost(settings.prices)) continue;
    fit = std::move(before);
    for (const SparseTerm& term : found) tried[term] = kMostTries;  // the same fit would be given up again
  }
}

int64_t least_budget_of_terms(int64_t players, int) { return std::max<int64_t>(128, std::min<int64_t>(players, 512)); }

TermModel model_of_terms(Game& game, const SparseRequest& request, bool disjunctions) {
  const int64_t players = game.players(), before = game.evaluations();
  const int64_t kept_out = std::clamp<int64_t>(request.budget / 8, 32, 2000);
  const int64_t most = request.budget - kept_out;
  TermModel model;
  const Coalitions fresh = draw_coalitions(players, 0, kept_out, DrawnBy::sizes, request.seed, kHeldOut);
  const std::vector<double> truth = finite_values(game, fresh, request.progress);
  const BitColumns fresh_bits(fresh, 0, kept_out);
  DrawnRows rows{Coalitions(players), {}};
  for (const bool everyone : {false, true}) {
    std::vector<int64_t> members;
    for (int64_t p = 0; everyone && p < players; ++p) members.push_back(p);
    rows.sets.add(members);
  }
  rows.values = finite_values(game, rows.sets, request.progress);
  model.empty = rows.values[0];
  model.full = rows.values[1];
  std::vector<int64_t> stages = {most / 4, most};
  if (request.aim > 0) stages = {most / 8, most / 4, most / 2, most};
  FoundTerms found;
  for (const int64_t stage : stages) {
    const int64_t have = std::ssize(rows.values);
    if (stage < std::min<int64_t>(most, 96)) continue;
    const Coalitions more = draw_coalitions(players, have, stage - have, DrawnBy::sizes, request.seed, kFitted);
    const std::vector<double> values = finite_values(game, more, request.progress);
    for (int64_t i = 0; i < more.size(); ++i) rows.sets.add(more.words(i));
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    found = search_in(rows, request, disjunctions, found.terms, stage == most || request.aim > 0);
    model.bits = std::make_unique<BitColumns>(rows.sets, 0, stage);
    model.fit = std::make_unique<TermFit>(*model.bits, rows.values);
    model.fit->add(found.terms);
    const std::vector<double> prices = prices_of_terms(players, stage, request.largest_order, found.strictness);
    model.fit->prune(prices);
    if (disjunctions) say_singles(model.fit, *model.bits, rows.values, prices);
    model.strictness = found.strictness;
    model.held_out = held_out_fit(truth, model.fit->at(fresh_bits));
    const bool all = model.fit->exact() && model.held_out.rmse <= 1e-7 * std::max(model.held_out.spread, 1e-300);
    model.stop = all || model.fit->spread() == 0 ? SparseStop::all_found : SparseStop::budget;
    if (model.stop == SparseStop::all_found) break;
    if (request.aim > 0 && model.held_out.defined && 1 - model.held_out.r2 <= request.aim) {
      model.stop = SparseStop::aim;
      break;
    }
  }
  model.evaluations = game.evaluations() - before;
  return model;
}

}  // namespace ascribe::core
