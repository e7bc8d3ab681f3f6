#include "theory/question_audit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr double kNoise = 0.1;  // of the effects: where so much of them may be rounding, nothing is known
constexpr std::string_view kRounded = "the effects are so small beside f itself that they may be rounding";

// Flows between all pairs of players.
class Flows {
 public:
  explicit Flows(int players)
      : players_(players), amounts_(static_cast<size_t>(players) * static_cast<size_t>(players)) {}

  void add(int from, int to, double amount) { amounts_[static_cast<size_t>(from * players_ + to)] += amount; }

  std::vector<Flow> largest_first() const {
    std::vector<Flow> flows;
    for (int from = 0; from < players_; ++from) {
      for (int to = 0; to < players_; ++to) {
        const double amount = amounts_[static_cast<size_t>(from * players_ + to)];
        if (amount != 0) flows.push_back({from, to, amount});
      }
    }
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& a, const Flow& b) { return std::abs(a.amount) > std::abs(b.amount); });
    return flows;
  }

 private:
  int players_;
  std::vector<double> amounts_;
};

void add_leaks(const SetAllocation& allocation, uint64_t set, Flows& leaks) {
  const std::vector<int> members = members_of(set);
  for (int to = 0; to < allocation.players; ++to) {
    if ((set >> to & 1) != 0) continue;
    const double part = allocation(to, set) / static_cast<double>(members.size());
    for (const int from : members) leaks.add(from, to, part);
  }
}

void add_repetition(uint64_t set, double amount, Flows& repetitions) {
  const std::vector<int> members = members_of(set);
  if (members.size() == 1) return repetitions.add(members[0], members[0], amount);
  const double part = amount / binomial(static_cast<int>(members.size()), 2);
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size(); ++j) repetitions.add(members[i], members[j], part);
  }
}

AllocatedEffect effect_of(const SetAllocation& allocation, uint64_t set) {
  // Of no player there is no effect: f(b) is not part of the change.
  AllocatedEffect effect{set, set == 0 ? 0 : allocation.effects[set], {}};
  if (set != 0 && !allocation.effect_errors.empty()) effect.value_error = allocation.effect_errors[set];
  for (int p = 0; p < allocation.players; ++p) {
    effect.given.push_back(allocation(p, set));
    effect.given_errors.push_back(allocation.error(p, set));
  }
  return effect;
}

double leaked_of(const AllocatedEffect& effect) {
  double size = 0;
  for (size_t p = 0; p < effect.given.size(); ++p) {
    if ((effect.support >> p & 1) == 0) size += std::abs(effect.given[p]);
  }
  return size;
}

std::vector<double> unrelated_of(const SetAllocation& allocation) {
  std::vector<double> unrelated(static_cast<size_t>(allocation.players));
  for (int p = 0; p < allocation.players; ++p) {
    for (uint64_t set = 0; set < allocation.sets(); ++set) {
      if ((set >> p & 1) == 0) unrelated[static_cast<size_t>(p)] += allocation(p, set);
    }
  }
  return unrelated;
}

// Effects that are rounding themselves tell nothing about a method.
Verdicts verdicts_of(const QuestionAudit& audit, const SetAllocation& allocation, DType real) {
  const auto& errors = allocation.effect_errors;
  const double noise = errors.empty() ? 0 : std::accumulate(errors.begin() + 1, errors.end(), 0.0);
  const bool nothing_but_noise = audit.effects > 0 && noise > kNoise * audit.effects;
  const bool by_rounding = nothing_but_noise || allocation.doubt.empty();
  Verdicts verdicts =
      judge(audit.figures, audit.errors, real, by_rounding ? kRounded : std::string_view(allocation.doubt));
  for (Verdict& verdict : verdicts.all) {
    if (!nothing_but_noise) break;
    verdict.holds = std::nullopt;
    verdict.reason = kRounded;
  }
  return verdicts;
}

}  // namespace

void Amount::add(double amount) {
  net += amount;
  size += std::abs(amount);
}

QuestionAudit audit_question(const SetAllocation& allocation, DType real) {
  QuestionAudit audit;
  audit.change = allocation.change();
  PrincipleAccount account(Coverage::in_part);
  Flows leaks(allocation.players), repetitions(allocation.players);
  for (uint64_t set = 0; set < allocation.sets(); ++set) {
    const AllocatedEffect effect = effect_of(allocation, set);
    account.add(effect);
    const double given = allocation.given(set);
    audit.sum += given;
    audit.leaked.size += leaked_of(effect);
    if (set == 0) {
      audit.without_players = given;
      continue;
    }
    const double explained = share_given(given, effect.value) * effect.value;
    audit.effects += std::abs(effect.value);
    audit.unexplained.add(effect.value - explained);
    audit.counted_again.add(given - explained);
    if (given * effect.value < 0) audit.wrong_sign += std::abs(given);
    add_leaks(allocation, set, leaks);
    add_repetition(set, given - explained, repetitions);
    audit.imbalances.push_back({set, effect.value, given});
  }
  account.close(audit.change);
  audit.figures = account.figures();
  audit.errors = account.errors();
  audit.verdicts = verdicts_of(audit, allocation, real);
  audit.unrelated = unrelated_of(allocation);
  for (const double amount : audit.unrelated) audit.leaked.net += std::abs(amount);
  audit.leaks = leaks.largest_first();
  audit.repetitions = repetitions.largest_first();
  std::stable_sort(audit.imbalances.begin(), audit.imbalances.end(),
                   [](const Imbalance& a, const Imbalance& b) { return std::abs(a.amount()) > std::abs(b.amount()); });
  return audit;
}

}  // namespace ascribe::core
