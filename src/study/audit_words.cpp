#include "study/audit_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "study/few_players.h"

namespace ascribe::core::study {

namespace {

constexpr double kWorthSaying = 1e-4;  // of the change
constexpr size_t kNamedPairs = 3;
constexpr double kNamedShare = 0.05;  // of the difference: less is not named

std::string name_of(const Players& players, int p) { return players.names[static_cast<size_t>(p)]; }

std::string unexplained_text(const QuestionAudit& audit, const Players& players) {
  if (std::abs(audit.unexplained) < kWorthSaying * std::abs(audit.change)) return "Nothing is left unexplained.";
  std::string text = fmt::format("Left unexplained: {} of the change.", with_share(audit.unexplained, audit.change));
  for (const Imbalance& one : audit.imbalances) {
    if (share_given(one.given, one.effect) >= 1) continue;
    return text + fmt::format(" Most of all the effect of {} ({:+.4g}, of which {:+.4g} was given).",
                              players_text(players, one.set), one.effect, one.given);
  }
  return text;
}

std::string counted_again_text(const QuestionAudit& audit, const Players& players) {
  const bool any =
      !audit.repetitions.empty() && std::abs(audit.repetitions[0].amount) >= kWorthSaying * std::abs(audit.change);
  if (!any && std::abs(audit.counted_again) < kWorthSaying * std::abs(audit.change)) {
    return "Nothing is counted several times.";
  }
  const bool more = audit.counted_again * audit.change >= 0;
  std::string text = fmt::format("{}: {}.", more ? "Counted several times" : "Given with the wrong sign, on balance",
                                 with_share(audit.counted_again, audit.change));
  if (any) {
    const Flow& most = audit.repetitions[0];
    const std::string who = most.from == most.to ? name_of(players, most.from) + " does alone"
                                                 : fmt::format("{} and {} do together", name_of(players, most.from),
                                                               name_of(players, most.to));
    text += fmt::format(" Most of all what {}: {} too {}.", who, with_share(most.amount, audit.change),
                        most.amount * audit.change >= 0 ? "much" : "little");
  }
  return text;
}

// A method that multiplies by the input gives 0 to a player at 0, whatever it does inside.
bool cannot_leak(const Method& method, const Tensor& baselines) {
  if (method.baselines) return false;
  const auto values = baselines.data<double>();
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

std::string leaked_text(const QuestionAudit& audit, const Players& players, bool invisible) {
  if (audit.figures.holds(Principle::no_unrelated)) {
    return fmt::format(
        "Nothing leaked: a player that is masked gets nothing.{}",
        invisible ? " But against the baseline 0 this method could not show a leak; try `baseline` mean." : "");
  }
  const auto smaller = [](double p, double q) { return std::abs(p) < std::abs(q); };
  const auto most = std::max_element(audit.unrelated.begin(), audit.unrelated.end(), smaller);
  std::string text = fmt::format(
      "Leaked to players that take no part: {} of all that was given, effect by effect; {} of the change in the end. "
      "{} gets {:+.4g} even when it alone is masked.",
      percent(audit.figures.no_unrelated), percent(audit.leaked / std::abs(audit.change)),
      name_of(players, static_cast<int>(most - audit.unrelated.begin())), *most);
  if (!audit.leaks.empty()) {
    const Flow& flow = audit.leaks[0];
    text += fmt::format(" Largest misallocation: {} of what {} does without {} went to {}.",
                        with_share(flow.amount, audit.change), name_of(players, flow.from), name_of(players, flow.to),
                        name_of(players, flow.to));
  }
  return text;
}

}  // namespace

std::vector<std::string> audit_sentences(const AuditedMethod& one, const Question& question) {
  const QuestionAudit& audit = one.audit;
  std::vector<std::string> sentences = {unexplained_text(audit, question.players),
                                        counted_again_text(audit, question.players)};
  if (std::abs(audit.without_players) >= kWorthSaying * std::abs(audit.change)) {
    sentences.push_back(
        fmt::format("With every player masked {} is still given: it belongs to f(b), not to the change.",
                    with_share(audit.without_players, audit.change)));
  }
  sentences.push_back(leaked_text(audit, question.players, cannot_leak(one.method, question.baselines)));
  if (!one.exact) {
    sentences.emplace_back("Its values were sampled, or an integral missed its tolerance: small figures may be that.");
  }
  return sentences;
}

std::string pair_text(const PairDifference& pair, const Players& players) {
  if (pair.first == pair.second) return name_of(players, pair.first) + " alone";
  return fmt::format("{} with {}", name_of(players, pair.first), name_of(players, pair.second));
}

std::string difference_sentence(const Comparison& comparison, const Players& players) {
  std::vector<std::string> texts;
  for (const PairDifference& pair : comparison.pairs) {
    if (texts.size() == kNamedPairs || std::abs(pair.share) < kNamedShare) break;
    texts.push_back(fmt::format("{} ({})", pair_text(pair, players), percent(pair.share)));
  }
  std::string text = texts.empty() ? "No single pair of players stands out in the difference."
                                   : fmt::format("The difference comes most of all from {}.", fmt::join(texts, ", "));
  if (const double nobody = comparison.share_by_size[0]; std::abs(nobody) >= kNamedShare) {
    text += fmt::format(" {} of it is given with every player masked.", percent(nobody));
  }
  if (comparison.share_by_size.size() > 1 && std::abs(comparison.share_by_size[1]) < 1e-6) {
    text += " The two agree on what every player does alone; they differ in how interactions are shared.";
  }
  return text;
}

}  // namespace ascribe::core::study
