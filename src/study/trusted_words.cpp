#include "study/trusted_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "study/trusted.h"

namespace ascribe::core::document {

namespace {

constexpr double kMissing = 0.02;       // of what is explained: less is not worth a word
constexpr double kLoose = 0.25;         // of the largest value: a wider interval makes a doubt
constexpr double kVeryLoose = 0.75;     // and this takes the ground away
constexpr double kCancelling = 10;      // times the change: what values for and against it may add up to
constexpr double kClearlyBetter = 0.5;  // of the infidelity of the one that is shown
constexpr double kMuchTogether = 0.3;   // of all effects: more than this is worth a word

std::string title_of(const Row& row, const std::string& name) {
  for (const MethodResult& method : row.methods) {
    if (method.name == name) return method.title;
  }
  return name;
}

const MethodResult& chosen(const Trusted& trusted, const Row& row) {
  return *std::find_if(row.methods.begin(), row.methods.end(),
                       [&](const MethodResult& one) { return one.name == trusted.method; });
}

std::string counted(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string rough_percent(double share) {
  const double percent = 100 * share;
  if (percent < 1) return "less than 1 %";
  return fmt::format("{:.0f} %", percent);
}

// "a, b and c"
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return text;
}

// ---- how sure ----

// Reasons with what they do to the answer; the gravest are told first.
struct Doubts {
  struct Reason {
    std::string text;
    Sureness sure;
  };
  const Trusted& trusted;
  std::vector<Reason> reasons = {};

  void fine(std::string reason) { reasons.push_back({std::move(reason), Sureness::well}); }
  void doubt(std::string reason, Sureness sure) { reasons.push_back({std::move(reason), sure}); }
  void tell(Trusted& into) {
    std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) { return a.sure > b.sure; });
    into.sure = reasons[0].sure;
    into.reasons.clear();
    for (Reason& reason : reasons) into.reasons.push_back(std::move(reason.text));
  }
};

// "it leaves things out and counts some twice"
std::string what_fails(const MethodPrinciples& method) {
  std::vector<std::string> faults;
  if (method.low_error.holds == false) faults.emplace_back("leaves things out");
  if (method.no_unrelated.holds == false) faults.emplace_back("credits parts that play no role");
  if (method.complete.holds == false) faults.emplace_back("counts things wrongly or more than once");
  return listed(faults);
}

void judge_principles(Doubts& doubts, const Row& row) {
  const Trusted& trusted = doubts.trusted;
  const MethodPrinciples* principles = principles_named(row, trusted.method);
  switch (trusted.standing) {
    case Standing::holds:
      return doubts.fine(
          "It passes all three checks on this input: nothing is left out, nothing is counted twice, and parts that "
          "play "
          "no role get nothing.");
    case Standing::open:
      return doubts.doubt("It fails none of the three checks, but not all of them could be decided.", Sureness::fairly);
    case Standing::fails:
      return doubts.doubt(fmt::format("It does not pass all three checks: it {}.", what_fails(*principles)),
                          Sureness::with_care);
    default:
      return doubts.doubt(row.principles ? "The three checks were not made for it."
                                         : "The three checks that tell good methods from bad ones were not made here.",
                          Sureness::with_care);
  }
}

void judge_values(Doubts& doubts, const MethodResult& method) {
  double largest = 0, size = 0, interval = 0;
  size_t unknown = 0;
  for (size_t i = 0; i < method.values.size(); ++i) {
    const double value = std::abs(method.values[i].value_or(0));
    if (!method.values[i]) ++unknown;
    if (value > largest) {
      largest = value;
      interval = i < method.standard_errors.size() ? 1.96 * method.standard_errors[i].value_or(0) : 0;
    }
    size += value;
  }
  if (unknown > 0) doubts.doubt("Some of its values are not known.", Sureness::with_care);
  if (largest == 0) return doubts.doubt("It finds nothing that mattered.", Sureness::with_care);
  if (!method.exact) {
    const double loose = interval / largest;
    const Sureness sure = loose > kVeryLoose ? Sureness::with_care : loose > kLoose ? Sureness::fairly : Sureness::well;
    doubts.doubt(interval > 0
                     ? fmt::format("Its values are estimates; the largest is known to within {}.", rough_percent(loose))
                     : "Its values are close to exact, but not quite.",
                 sure);
  }
  if (!is_share(method) || !method.explains) return;
  const double explains = std::abs(*method.explains), residual = std::abs(method.residual.value_or(0));
  if (residual > kMissing * explains) {
    doubts.doubt(
        explains > 0 && residual < 10 * explains
            ? fmt::format("Its values miss what they should add up to by {}.", rough_percent(residual / explains))
            : "Its values are far from what they should add up to.",
        residual > kLoose * explains ? Sureness::with_care : Sureness::fairly);
  }
  if (size > kCancelling * explains) {
    doubts.doubt("What speaks for the result and what speaks against it nearly cancel, so small errors weigh much.",
                 Sureness::fairly);
  }
}

void judge_agreement(Doubts& doubts, const Row& row) {
  const Trusted& trusted = doubts.trusted;
  const size_t agree = trusted.agree.size(), all = agree + trusted.disagree.size();
  const char* which = trusted.standing == Standing::holds ? "that pass" : "that may pass";
  if (trusted.standing != Standing::holds && trusted.standing != Standing::open) return;
  if (all == 0) {
    if (row.methods.size() > 1) {
      doubts.doubt("No other method passes with which it could be compared.", Sureness::fairly);
    } else {
      doubts.doubt("No other method was run with which it could be compared.", Sureness::fairly);
    }
    return;
  }
  if (agree == all) {
    const std::string who =
        all == 1 ? fmt::format("The other method that passes ({})", title_of(row, trusted.agree[0]))
                 : fmt::format("{} other methods {}", all == 2 ? "Both" : fmt::format("All {}", all), which);
    return doubts.fine(fmt::format("{} name{} the same strongest parts.", who, all == 1 ? "s" : ""));
  }
  doubts.doubt(all == 1 ? fmt::format("The other method that passes ({}) names other strongest parts.",
                                      title_of(row, trusted.disagree[0]))
                        : fmt::format("Of {} other methods {}, {} the same strongest parts.", all, which,
                                      agree == 0   ? "none names"
                                      : agree == 1 ? "one names"
                                                   : fmt::format("{} name", agree)),
               2 * agree < all ? Sureness::with_care : Sureness::fairly);
}

// A method that is not known to pass may describe the model better all the same.
void judge_tests(Doubts& doubts, const Row& row) {
  const Trusted& trusted = doubts.trusted;
  const MetricScores* metric = infidelity_of(row);
  if (!trusted.infidelity || metric == nullptr) {
    return doubts.doubt("How well it foretells the model was not measured.", Sureness::fairly);
  }
  const Score* best = nullptr;
  for (const Score& score : metric->scores) {
    const auto method = std::find_if(row.methods.begin(), row.methods.end(),
                                     [&](const MethodResult& one) { return one.name == score.method; });
    if (method == row.methods.end() || !is_share(*method) || !score.value) continue;
    if (best == nullptr || *score.value < *best->value) best = &score;
  }
  if (best == nullptr || *best->value >= kClearlyBetter * *trusted.infidelity) return;
  doubts.doubt(
      fmt::format("{}, which {}, foretells the model clearly better.", title_of(row, best->method),
                  standing_of(row, best->method) == Standing::unmeasured ? "was not checked" : "is not known to pass"),
      Sureness::fairly);
}

// ---- why this one ----

std::string why_it_leads(const Trusted& trusted, const Row& row) {
  const std::string title = title_of(row, trusted.method);
  if (!trusted.infidelity) {
    return fmt::format("Which of them foretells the model best was not measured, so {} is shown for being {}.", title,
                       chosen(trusted, row).exact ? "exact and first in the list" : "first in the list");
  }
  if (trusted.tied.empty()) {
    return fmt::format("Of these, {} foretells best what the model does when parts of the input are hidden.", title);
  }
  std::vector<std::string> others;
  for (const std::string& name : trusted.tied) {
    if (name != trusted.method) others.push_back(title_of(row, name));
  }
  const bool rank = chosen(trusted, row).exact;
  return fmt::format("{} foretell{} the model as well; {} is shown for being {}.", listed(others),
                     others.size() == 1 ? "s" : "", title, rank ? "exact and first in the list" : "first in the list");
}

std::string why_of(const Trusted& trusted, const Row& row) {
  const MethodResult& method = chosen(trusted, row);
  if (!is_share(method)) {
    return fmt::format(
        "Nothing better was run: {} shows where the model reacts, not how much each part adds to the result.",
        method.title);
  }
  if (row.methods.size() == 1) return fmt::format("{} is the only method that was run.", method.title);
  const size_t alike = trusted.among.size();
  const std::string lead = alike > 1 ? " " + why_it_leads(trusted, row) : "";
  switch (trusted.standing) {
    case Standing::holds: {
      const size_t checked = row.principles->methods.size();
      if (alike == 1) {
        return fmt::format("{} is the only one of {} that passes all three checks.", method.title,
                           counted(checked, "checked method"));
      }
      return fmt::format("{} of {} pass all three checks.", alike, counted(checked, "checked method")) + lead;
    }
    case Standing::open:
      if (alike == 1) {
        return fmt::format("No method is known to pass all three checks; {} is the only one that fails none.",
                           method.title);
      }
      return fmt::format("No method is known to pass all three checks; {} fail none.", alike) + lead;
    default:
      if (!row.principles) {
        if (alike == 1)
          return fmt::format("{} is the only method whose values are shares of the result.", method.title);
        return fmt::format("The checks were not made, so the best of {} is shown.", counted(alike, "method")) + lead;
      }
      return "No method is known to pass all three checks, so the best of those available is shown." + lead;
  }
}

// ---- what it cannot say ----

std::string hidden_by(const Row& row) {
  if (row.baseline == "zero") return "zeros";
  if (row.baseline == "mean") return "averages";
  return row.baseline.empty() ? "stand-ins" : fmt::format("“{}”", row.baseline);
}

// The map shows more than one value within a region.
bool finer_than_players(const MethodResult& method, const Row& row) {
  const std::vector<int32_t>& owner = row.players.owner;
  if (!method.map || owner.size() != method.map->data.size()) return false;
  std::vector<std::optional<int16_t>> seen(row.players.count());
  for (size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] < 0) continue;
    std::optional<int16_t>& first = seen[static_cast<size_t>(owner[i])];
    if (first && *first != method.map->data[i]) return true;
    first = method.map->data[i];
  }
  return false;
}

std::vector<std::string> limits_of(const Trusted& trusted, const Row& row) {
  std::vector<std::string> limits = {
      "Whether the model is right, or what causes what in the world: it shows what this model used, on this one input.",
      fmt::format("What another comparison would show: hidden parts are replaced by {} here.", hidden_by(row))};
  if (row.effects && !row.effects->orders.empty() && row.effects->orders[0].share) {
    const double together = 1 - *row.effects->orders[0].share;
    if (together >= kMuchTogether) {
      limits.push_back(
          fmt::format("Which parts act only together: that is {} of what happens here, and one value for each part can "
                      "only share it out.",
                      rough_percent(together)));
    }
  }
  const bool coarse = row.players.count() < row.pixels();
  if (coarse && !trusted.method.empty() && !finer_than_players(chosen(trusted, row), row)) {
    limits.push_back(fmt::format("Details finer than its {} regions.", row.players.count()));
  }
  return limits;
}

}  // namespace

void say_how_sure(Trusted& trusted, const Row& row) {
  trusted.limits = limits_of(trusted, row);
  trusted.sure = Sureness::with_care;
  if (trusted.method.empty()) {
    trusted.why = "No method was run.";
    trusted.reasons = {"There is no explanation to trust."};
    return;
  }
  Doubts doubts{trusted};
  const MethodResult& method = chosen(trusted, row);
  if (!is_share(method)) {
    doubts.doubt("Its numbers are no shares of the result.", Sureness::with_care);
  }
  judge_principles(doubts, row);
  judge_agreement(doubts, row);
  judge_values(doubts, method);
  if (is_share(method)) judge_tests(doubts, row);
  doubts.tell(trusted);
  trusted.why = why_of(trusted, row);
}

}  // namespace ascribe::core::document
