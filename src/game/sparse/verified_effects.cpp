#include "game/sparse/verified_effects.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/random.h"
#include "game/sparse/samples.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kCompany = 43, kChosenAtRandom = 44;  // streams of random numbers
constexpr size_t kMostAlone = 8, kMostInCompany = 5;     // players of a set that is asked for
constexpr size_t kInteractions = 24, kSingles = 12;      // in company
constexpr int64_t kLeastDraws = 8, kUsualDraws = 16, kMostDraws = 64;
constexpr double kHeld = 0.95;
constexpr int64_t kFewAtRandom = 19, kManyAtRandom = 39;  // the largest, and the largest but one, are a 95 % interval

// Without those of the whole set, signs alternate.
double sign_of(size_t players, uint64_t inside) {
  return (players - static_cast<size_t>(std::popcount(inside))) % 2 == 1 ? -1 : 1;
}

std::vector<int64_t> members_inside(const std::vector<int>& set, uint64_t inside) {
  std::vector<int64_t> members;
  for (size_t i = 0; i < set.size(); ++i) {
    if ((inside >> i & 1) != 0) members.push_back(set[i]);
  }
  return members;
}

// v of all sets inside of some, each asked for once, all at once.
class LookedUp {
 public:
  explicit LookedUp(Game& game) : game_(game), fresh_(game.players()) { want({}); }

  void want(const std::vector<int>& set) {
    for (uint64_t inside = 0; inside < uint64_t{1} << set.size(); ++inside) {
      std::vector<int64_t> members = members_inside(set, inside);
      if (!values_.try_emplace(members, 0.0).second) continue;
      fresh_.add(std::span<const int64_t>(members));
      order_.push_back(std::move(members));
    }
  }
  int64_t count() const { return std::ssize(order_); }
  void ask(const Progress& progress) {
    const std::vector<double> values = finite_values(game_, fresh_, progress);
    for (size_t i = 0; i < values.size(); ++i) values_[order_[i]] = values[i];
  }
  // J(S).
  double effect(const std::vector<int>& set) const {
    double sum = 0;
    for (uint64_t inside = 0; inside < uint64_t{1} << set.size(); ++inside) {
      sum += sign_of(set.size(), inside) * values_.at(members_inside(set, inside));
    }
    return sum;
  }

 private:
  Game& game_;
  Coalitions fresh_;
  std::vector<std::vector<int64_t>> order_;
  std::map<std::vector<int64_t>, double> values_;
};

std::vector<size_t> ranked(const std::vector<double>& sizes) {
  std::vector<size_t> ranking(sizes.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(sizes[a]) > std::abs(sizes[b]); });
  return ranking;
}

class Verifying {
 public:
  Verifying(Game& game, const SparseEstimate& estimate, const Verification& request)
      : game_(game), effects_(estimate.effects.effects), request_(request) {
    result_.alone.resize(effects_.size());
    result_.in_company.resize(effects_.size());
  }

  VerifiedEffects verified() {
    LookedUp values(game_);
    const bool fitted = !effects_.empty() && request_.budget >= 2;
    Chosen chosen;
    if (fitted) chosen = choose(values);
    const int64_t of_fit = values.count();
    const std::vector<std::vector<int>> candidates = wanted_candidates(values);
    if (!fitted && candidates.empty()) return result_;
    values.ask(request_.progress);
    result_.evaluations = values.count();
    if (fitted) take(values, chosen);
    for (const std::vector<int>& set : candidates) result_.beside.push_back({set, {}, values.effect(set)});
    std::stable_sort(result_.beside.begin(), result_.beside.end(),
                     [](const Effect& a, const Effect& b) { return std::abs(a.value) > std::abs(b.value); });
    if (fitted) ask_in_company(request_.budget - of_fit);
    return result_;
  }

 private:
  const std::vector<int>& set(size_t effect) const { return effects_[effect].support; }

  struct Chosen {
    std::vector<size_t> strongest, at_random;
  };

  // The strongest in the fit, then some of the others at random.
  Chosen choose(LookedUp& values) {
    std::vector<double> sizes;
    for (const Effect& effect : effects_) sizes.push_back(effect.value);
    std::vector<size_t> chosen, others;
    for (const size_t i : ranked(sizes)) {
      if (set(i).size() > kMostAlone) continue;
      if (values.count() + (int64_t{1} << set(i).size()) > 3 * request_.budget / 8) {
        others.push_back(i);
        continue;
      }
      values.want(set(i));
      chosen.push_back(i);
    }
    const std::vector<size_t> at_random = chosen_at_random(others);
    for (const size_t i : at_random) values.want(set(i));
    return {chosen, at_random};
  }

  // Candidates that the fit does not have, as many as there are evaluations for.
  std::vector<std::vector<int>> wanted_candidates(LookedUp& values) const {
    std::set<std::vector<int>> known;
    for (const Effect& effect : effects_) known.insert(effect.support);
    std::vector<std::vector<int>> wanted;
    const int64_t most = values.count() + request_.candidate_budget;
    for (const SparseHints::Candidate& candidate : request_.candidates) {
      if (candidate.set.size() > kMostAlone || known.contains(candidate.set)) continue;
      if (values.count() + (int64_t{1} << candidate.set.size()) > most) break;
      values.want(candidate.set);
      wanted.push_back(candidate.set);
    }
    return wanted;
  }

  void take(const LookedUp& values, const Chosen& chosen) {
    for (const auto& some : {chosen.strongest, chosen.at_random}) {
      for (const size_t i : some) result_.alone[i] = values.effect(set(i));
    }
    std::vector<double> off;
    for (const size_t i : chosen.at_random) off.push_back(std::abs(*result_.alone[i] - effects_[i].value));
    std::sort(off.begin(), off.end());
    const auto rank = static_cast<size_t>(std::ceil(kHeld * static_cast<double>(off.size() + 1)));
    if (rank <= off.size() && rank > 0) result_.off = off[rank - 1];
    else result_.off_players = 0;
    result_.looked_up = std::ssize(chosen.strongest) + std::ssize(chosen.at_random);
  }

  // As many as an interval takes, of as large sets as an eighth of the budget allows on average. How many there are is
  // settled before any of them is drawn, so that those that are left are like them.
  std::vector<size_t> chosen_at_random(const std::vector<size_t>& others) {
    for (size_t most = kMostAlone; most > 0; --most) {
      std::vector<size_t> small;
      double cost = 0;
      for (const size_t i : others) {
        if (set(i).size() > most) continue;
        small.push_back(i);
        cost += std::ldexp(1.0, static_cast<int>(set(i).size()));
      }
      if (std::ssize(small) <= kFewAtRandom) return {};
      cost /= static_cast<double>(small.size());
      const auto affordable = static_cast<int64_t>(static_cast<double>(request_.budget) / 8 / cost);
      if (affordable < kFewAtRandom) continue;
      const int64_t many =
          std::ssize(small) > kManyAtRandom && affordable >= kManyAtRandom ? kManyAtRandom : kFewAtRandom;
      const std::vector<int64_t> order = Random(request_.seed, kChosenAtRandom).permutation(0, std::ssize(small));
      std::vector<size_t> chosen;
      for (int64_t i = 0; i < many; ++i) chosen.push_back(small[static_cast<size_t>(order[static_cast<size_t>(i)])]);
      result_.off_players = static_cast<int>(most);
      return chosen;
    }
    return {};
  }

  // What the fit says of a set in company: effects around it, each with the chance that its other players are there.
  double fitted_in_company(size_t effect) const {
    double sum = 0;
    for (const size_t i : around(effect)) {
      sum += effects_[i].value / static_cast<double>(set(i).size() - set(effect).size() + 1);
    }
    return sum;
  }

  std::vector<size_t> around(size_t effect) const {
    std::vector<size_t> result;
    for (size_t i = 0; i < effects_.size(); ++i) {
      if (std::includes(set(i).begin(), set(i).end(), set(effect).begin(), set(effect).end())) result.push_back(i);
    }
    return result;
  }

  void ask_in_company(int64_t left) {
    std::vector<double> sizes;
    for (size_t i = 0; i < effects_.size(); ++i) {
      sizes.push_back(set(i).size() <= kMostInCompany ? fitted_in_company(i) : 0.0);
    }
    const int64_t of_singles = left / 4;
    ask_in_company(sizes, 2, kMostInCompany, kInteractions, left - of_singles);
    ask_in_company(sizes, 1, 1, kSingles, of_singles);
  }

  void ask_in_company(const std::vector<double>& sizes, size_t least, size_t most, size_t many, int64_t budget) {
    std::vector<size_t> chosen;
    int64_t each = 0;  // evaluations, for one draw of all
    // At first none that takes more than its share: one large set would leave nothing for the others.
    const std::vector<size_t> ranking = ranked(sizes);
    for (const auto& [draws, share] :
         {std::pair{kUsualDraws, budget / 4}, {kUsualDraws, budget}, {kLeastDraws, budget}}) {
      for (const size_t i : ranking) {
        if (chosen.size() == many || set(i).size() < least || set(i).size() > most) continue;
        const int64_t cost = int64_t{1} << set(i).size();
        if (cost * draws > share || (each + cost) * draws > budget) continue;
        each += cost;
        chosen.push_back(i);
      }
      if (!chosen.empty()) break;
    }
    if (chosen.empty()) return;
    const int64_t draws = std::min(kMostDraws, budget / each);
    Coalitions sets(game_.players());
    std::vector<Coalitions> companies;
    for (const size_t i : chosen) {
      companies.push_back(draw_coalitions(game_.players(), static_cast<int64_t>(i) * kMostDraws, draws, DrawnBy::sizes,
                                          request_.seed, kCompany));
      for (int64_t d = 0; d < draws; ++d) add_with_parts(sets, companies.back().words(d), set(i));
    }
    const std::vector<double> values = finite_values(game_, sets, request_.progress);
    const double* next = values.data();
    for (size_t c = 0; c < chosen.size(); ++c) {
      result_.in_company[chosen[c]] = mean_in_company(chosen[c], companies[c], next);
      next += draws << set(chosen[c]).size();
    }
    result_.evaluations += sets.size();
  }

  // The company without the set, with each part of the set.
  static void add_with_parts(Coalitions& sets, std::span<const uint64_t> company, const std::vector<int>& set) {
    std::vector<uint64_t> words(company.begin(), company.end());
    for (uint64_t inside = 0; inside < uint64_t{1} << set.size(); ++inside) {
      for (size_t i = 0; i < set.size(); ++i) {
        uint64_t& word = words[static_cast<size_t>(set[i] / 64)];
        const uint64_t bit = uint64_t{1} << (set[i] % 64);
        word = (inside >> i & 1) != 0 ? word | bit : word & ~bit;
      }
      sets.add(std::span<const uint64_t>(words));
    }
  }

  // The mean of what the game does beyond the fit, whose own mean is known: the fit explains a part of the spread.
  InCompany mean_in_company(size_t effect, const Coalitions& companies, const double* values) const {
    const std::vector<size_t> fitted = around(effect);
    const uint64_t parts = uint64_t{1} << set(effect).size();
    std::vector<double> beyond;
    for (int64_t d = 0; d < companies.size(); ++d) {
      double sum = 0;
      for (uint64_t inside = 0; inside < parts; ++inside) sum += sign_of(set(effect).size(), inside) * *values++;
      for (const size_t i : fitted) {
        const bool there = std::all_of(set(i).begin(), set(i).end(), [&](int player) {
          return std::binary_search(set(effect).begin(), set(effect).end(), player) || companies.has(d, player);
        });
        if (there) sum -= effects_[i].value;
      }
      beyond.push_back(sum);
    }
    const auto count = static_cast<double>(beyond.size());
    const double mean = std::accumulate(beyond.begin(), beyond.end(), 0.0) / count;
    double squares = 0;
    for (const double one : beyond) squares += (one - mean) * (one - mean);
    return {mean + fitted_in_company(effect), std::sqrt(squares / (count * (count - 1))), companies.size()};
  }

  Game& game_;
  const std::vector<Effect>& effects_;
  const Verification& request_;
  VerifiedEffects result_;
};

}  // namespace

VerifiedEffects verify_effects(Game& game, const SparseEstimate& estimate, const Verification& request) {
  return Verifying(game, estimate, request).verified();
}

}  // namespace ascribe::core
