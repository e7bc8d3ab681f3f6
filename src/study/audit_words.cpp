#include "study/audit_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "study/explain.h"
#include "study/few_players.h"

namespace ascribe::core::study {

namespace {

constexpr double kWorthSaying = 1e-4;  // of the effects
constexpr double kOneSign = 0.99;      // of the size: what adds up to so much has one sign
constexpr size_t kNamedPairs = 3;
constexpr double kNamedShare = 0.05;  // of the difference: less is not named

std::string name_of(const Players& players, int p) { return players.names[static_cast<size_t>(p)]; }

bool worth_saying(double size, const QuestionAudit& audit) { return size > kWorthSaying * audit.effects; }

// "+2.1 (30.0 %)" if all of it has one sign, otherwise both: "2.1 (30.0 %) in all, +0.1 on balance".
std::string amount_text(const Amount& amount, double effects) {
  if (std::abs(amount.net) >= kOneSign * amount.size) return with_share(amount.net, effects);
  return fmt::format("{:.4g} ({}) in all, of both signs ({:+.2g} on balance)", amount.size,
                     percent(amount.size / effects), amount.net);
}

std::string unexplained_text(const QuestionAudit& audit, const Players& players) {
  if (!worth_saying(audit.unexplained.size, audit)) return "Nothing is left unexplained.";
  std::string text = fmt::format("Left unexplained: {}.", amount_text(audit.unexplained, audit.effects));
  const auto missing = [](const Imbalance& one) {
    return (1 - share_given(one.given, one.effect)) * std::abs(one.effect);
  };
  const auto most = std::max_element(audit.imbalances.begin(), audit.imbalances.end(),
                                     [&](const Imbalance& a, const Imbalance& b) { return missing(a) < missing(b); });
  return text + fmt::format(" Most of all the effect of {} ({:+.4g}, of which {} was given).",
                            players_text(players, most->set), most->effect,
                            most->given == 0 ? "nothing" : fmt::format("{:+.4g}", most->given));
}

std::string counted_again_text(const QuestionAudit& audit, const Players& players) {
  if (!worth_saying(audit.counted_again.size, audit)) return "Nothing is counted several times.";
  const double size = audit.counted_again.size;
  const char* what = "Counted several times, or given with the wrong sign";
  if (audit.wrong_sign <= (1 - kOneSign) * size) what = "Counted several times";
  if (audit.wrong_sign >= kOneSign * size) what = "Given with the wrong sign";
  std::string text = fmt::format("{}: {}.", what, amount_text(audit.counted_again, audit.effects));
  if (!audit.repetitions.empty() && worth_saying(std::abs(audit.repetitions[0].amount), audit)) {
    const Flow& most = audit.repetitions[0];
    const std::string who = most.from == most.to ? name_of(players, most.from) + " does alone"
                                                 : fmt::format("{} and {} do together", name_of(players, most.from),
                                                               name_of(players, most.to));
    text += fmt::format(" Most of all for what {}: {}.", who, with_share(most.amount, audit.effects));
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
  if (audit.leaked.size == 0 || audit.verdicts[Principle::no_unrelated].holds == true) {
    return fmt::format(
        "Nothing leaked: a player that is masked gets nothing.{}",
        invisible ? " But against the baseline 0 this method could not show a leak; try `baseline` mean." : "");
  }
  const auto smaller = [](double p, double q) { return std::abs(p) < std::abs(q); };
  const auto most = std::max_element(audit.unrelated.begin(), audit.unrelated.end(), smaller);
  std::string text = fmt::format("Leaked to players that take no part: {} of all that was given, effect by effect.",
                                 percent(audit.figures.no_unrelated));
  if (worth_saying(std::abs(*most), audit)) {
    text += fmt::format(" {} gets {:+.4g} even when it alone is masked.",
                        name_of(players, static_cast<int>(most - audit.unrelated.begin())), *most);
  }
  if (!audit.leaks.empty() && worth_saying(std::abs(audit.leaks[0].amount), audit)) {
    const Flow& flow = audit.leaks[0];
    text += fmt::format(" Largest misallocation: {} of what {} does without {} went to {}.",
                        with_share(flow.amount, audit.effects), name_of(players, flow.from), name_of(players, flow.to),
                        name_of(players, flow.to));
  }
  return text;
}

// "a^2 b"
std::string term_text(const Term& term, const Players& players) {
  std::vector<std::string> factors;
  for (size_t p = 0; p < term.degrees.size(); ++p) {
    if (term.degrees[p] == 0) continue;
    factors.push_back(term.degrees[p] == 1 ? players.names[p]
                                           : fmt::format("{}^{}", players.names[p], term.degrees[p]));
  }
  return factors.empty() ? "of no player" : fmt::format("{}", fmt::join(factors, " "));
}

// "Left open: low error and complete. Its integrals ..."
void add_open(std::vector<std::string>& sentences, const Verdicts& verdicts) {
  std::vector<std::pair<std::string, std::string>> reasons;  // and the principles
  for (const Principle principle : kPrinciples) {
    const Verdict& verdict = verdicts[principle];
    if (verdict.holds) continue;
    const auto same = std::find_if(reasons.begin(), reasons.end(), [&](auto& r) { return r.first == verdict.reason; });
    if (same != reasons.end()) same->second += fmt::format(" and {}", to_string(principle));
    else reasons.emplace_back(verdict.reason, to_string(principle));
  }
  for (const auto& [reason, principles] : reasons) {
    sentences.push_back(fmt::format("Left open: {}, because {}.", principles, reason));
  }
}

}  // namespace

std::vector<std::string> audit_sentences(const AuditedMethod& one, const Question& question) {
  const QuestionAudit& audit = one.audit;
  std::vector<std::string> sentences;
  if (!one.allocation.baselines.empty()) {
    sentences.push_back(fmt::format("Judged on its own baselines: {}; f(b) is {:.5g} there, and the change {:+.5g}.",
                                    one.allocation.baselines, one.allocation.baseline_output(), audit.change));
  }
  if (audit.effects > 0) {
    sentences.push_back(unexplained_text(audit, question.players));
    sentences.push_back(counted_again_text(audit, question.players));
  } else if (std::abs(audit.sum - audit.without_players) > 0) {
    sentences.push_back(fmt::format("No set of players has an effect, and yet {:+.4g} was given.", audit.sum));
  }
  if (audit.without_players != 0 && worth_saying(std::abs(audit.without_players), audit)) {
    sentences.push_back(
        fmt::format("With every player masked {} is still given: it belongs to f(b), not to the change.",
                    with_share(audit.without_players, audit.effects)));
  }
  if (!std::isnan(audit.figures.no_unrelated)) {
    sentences.push_back(leaked_text(audit, question.players, cannot_leak(one.method, question.baselines)));
  }
  add_open(sentences, audit.verdicts);
  return sentences;
}

std::string terms_sentence(const TermAudit& terms, const Players& players) {
  std::vector<std::string> verdicts;
  for (const Principle principle : kPrinciples) {
    verdicts.push_back(fmt::format("{} {}", to_string(principle), verdict_text(terms.verdicts[principle])));
  }
  std::string text = fmt::format("Per Taylor term, {} of them up to order {}: {}.", terms.terms.size() - 1, terms.order,
                                 fmt::join(verdicts, ", "));
  if (terms.verdicts.held() == 3) return text;
  const auto off = [](const Term& term) {
    return std::abs(std::accumulate(term.effect.given.begin(), term.effect.given.end(), -term.effect.value));
  };
  const auto most = std::max_element(terms.terms.begin(), terms.terms.end(),
                                     [&](const Term& a, const Term& b) { return off(a) < off(b); });
  if (off(*most) <= kWorthSaying * std::abs(most->effect.value)) return text;
  const double given = std::accumulate(most->effect.given.begin(), most->effect.given.end(), 0.0);
  return text + fmt::format(" Most of all the term {} ({:+.4g}, of which {:+.4g} was given).",
                            term_text(*most, players), most->effect.value, given);
}

std::string pair_text(const PairDifference& pair, const Players& players) {
  if (pair.first == pair.second) return name_of(players, pair.first) + " alone";
  return fmt::format("{} with {}", name_of(players, pair.first), name_of(players, pair.second));
}

namespace {

// Where nothing is known but values.
std::string values_sentence(const Comparison& comparison, const Players& players) {
  std::vector<double> differences;
  for (size_t p = 0; p < comparison.first.size(); ++p) {
    differences.push_back(comparison.first[p] - comparison.second[p]);
  }
  std::vector<std::string> texts;
  for (const size_t p : strongest(differences, kNamedPairs)) {
    if (std::abs(differences[p]) < kNamedShare * comparison.difference || differences[p] == 0) break;
    texts.push_back(
        fmt::format("{} ({:+.4g} and {:+.4g})", players.names[p], comparison.first[p], comparison.second[p]));
  }
  if (texts.empty()) return "No single part stands out in the difference.";
  return fmt::format("The two differ most of all in {}.", fmt::join(texts, ", "));
}

}  // namespace

std::string difference_sentence(const Comparison& comparison, const Players& players) {
  if (comparison.share_by_size.empty()) return values_sentence(comparison, players);
  std::vector<std::string> texts;
  for (const PairDifference& pair : comparison.pairs) {
    if (texts.size() == kNamedPairs || std::abs(pair.share) < kNamedShare) break;
    texts.push_back(fmt::format("{} ({})", pair_text(pair, players), percent(pair.share)));
  }
  std::string text = texts.empty() ? "No two parts stand out in the difference."
                                   : fmt::format("The difference comes most of all from {}.", fmt::join(texts, ", "));
  if (const double nobody = comparison.share_by_size[0]; std::abs(nobody) >= kNamedShare) {
    text += fmt::format(" {} of it is given with every part masked.", percent(nobody));
  }
  if (comparison.share_by_size.size() > 1 && std::abs(comparison.share_by_size[1]) < 1e-6) {
    text += " The two agree on what each part does alone; they differ in how they share what parts do together.";
  }
  return text;
}

}  // namespace ascribe::core::study
