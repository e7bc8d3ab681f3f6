// The sections of a report about few players, of which every set is masked: the output taken apart, the three
// principles on this question, why methods differ.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "game/effect_summary.h"
#include "methods/question_game.h"
#include "passes/choices.h"
#include "study/audit_plan.h"
#include "study/audit_words.h"
#include "study/few_players.h"
#include "study/joint_inputs.h"
#include "study/report_sections.h"
#include "study/strongest_players.h"
#include "theory/principles.h"

namespace ascribe::core::study {

namespace {

// Images are cut into the first of these grids that is affordable.
constexpr std::array<std::pair<int64_t, int64_t>, 3> kGrids = {{{3, 3}, {2, 3}, {2, 2}}};
constexpr std::array<int64_t, 4> kSegmentsOfSeries = {9, 6, 4, 2};                  // of series
constexpr std::array<int64_t, 4> kStrongestOfTable = {kStrongestPlayers, 7, 5, 3};  // the others are one part
constexpr int64_t kPassesPerMask = 400;      // of all methods together, integrals with few nodes
constexpr double kAffordable = 2.8e12;       // multiply-adds: well below a minute
constexpr int64_t kOverhead = 5'000'000;     // of a small image on its way through a network, in multiply-adds
constexpr int64_t kWorkInDouble = 500'000;   // multiply-adds per row: what is larger is asked in float
constexpr int64_t kWorkOfModules = 100'000;  // the same, for Shapley values of every neuron
constexpr double kWorkOfReport = 5e10;       // multiply-adds that a method's verdicts may take if they are not settled
constexpr double kShareOfEffects = 0.25, kMostOfEffects = 0.5;  // of the time that is left: planned, and at most
constexpr double kShareOfPrinciples = 0.85;
constexpr int64_t kMostParts = 12;  // whose effects are read one by one
constexpr const char* kAdvice = "`parts` names a coarser division, as groups:FILE.json makes it";

double masks(int64_t players) { return std::exp2(static_cast<double>(players)); }

// Shapley values of every masked input look at all of its sets again.
double passes_of_principles(int64_t players) { return masks(2 * players) + kPassesPerMask * masks(players); }

Players parts_named(const std::string& text, const RowQuestion& question) {
  if (question.tokens) return row_players(question, text);
  std::vector<std::string> columns = question.players.channels;
  if (!question.players.plane() && std::ssize(question.players.names) == element_count(question.row)) {
    columns = question.players.names;
  }
  return split_row(question, text, columns);
}

// The finest first; those that only a limit of time makes useful at the end.
std::vector<std::string> divisions_of(const RowQuestion& question, bool limited) {
  std::vector<std::string> divisions;
  if (const auto& image = question.players.image) {
    for (const auto& [rows, columns] : kGrids) {
      if (rows <= image->height && columns <= image->width)
        divisions.push_back(fmt::format("grid:{}x{}", rows, columns));
    }
    if (limited && image->width > 1) divisions.emplace_back("grid:1x2");
  }
  if (const auto& series = question.players.series) {
    for (const int64_t parts : kSegmentsOfSeries) divisions.push_back(segments_text(*series, parts));
  }
  return divisions;
}

// The columns of a table by how strong they are, ranked once somebody asks.
class Ranking {
 public:
  Ranking(ExplainedModel& model, const RowQuestion& question, const Running& running)
      : model_(model), question_(question), running_(running) {}

  Players strongest(int64_t most) {
    if (ranking_.empty()) {
      ranking_ = players_by_strength(model_, question_, running_.progress_of("the strongest columns"));
    }
    return strongest_players(question_.players, ranking_, most);
  }

 private:
  ExplainedModel& model_;
  const RowQuestion& question_;
  const Running& running_;
  std::vector<size_t> ranking_;
};

// The parts of a table that is too wide, or too expensive, to have every column as a part.
void note_strongest(const Players& all, const Players& parts, Running& running) {
  if (!strongest_named(parts.description, all.count())) return;
  const std::string note = fmt::format("parts: {}; `parts` chooses others", strongest_note(all, parts.count() - 1));
  const std::vector<std::string>& told = running.notes();
  if (std::find(told.begin(), told.end(), note) == told.end()) running.note(note);
}

// The question with the parts that are asked for; or with the finest that the model's work allows and, where time is
// limited, with coarser ones behind it. Empty: there are none.
std::vector<RowQuestion> with_parts(const RowQuestion& question, const Reporting& reporting, Ranking& ranking,
                                    double (*passes)(int64_t players)) {
  RowQuestion parted = question;
  if (const std::string& asked = reporting.request.parts; !asked.empty()) {
    const auto most =
        can_be_ranked(question) ? strongest_named(asked, question.players.count()) : std::optional<int64_t>();
    parted.players = most ? ranking.strongest(*most) : parts_named(asked, question);
    return {parted};
  }
  std::vector<std::string> divisions = divisions_of(question, reporting.spending.limited());
  const auto work = static_cast<double>(reporting.work_per_row + (question.players.plane() ? kOverhead : 0));
  std::vector<RowQuestion> found;
  const auto look = [&](double affordable) {
    const auto consider = [&](Players players) {
      const int64_t count = players.count();
      if (!found.empty() && (!reporting.spending.limited() || count >= found.back().players.count())) return;
      if (count > kMostParts || work * passes(count) > affordable) return;
      found.push_back(question);
      found.back().players = std::move(players);
    };
    consider(question.players);
    for (const std::string& parts : divisions) consider(parts_named(parts, question));
    if (can_be_ranked(question) && (found.empty() || reporting.spending.limited())) {
      for (const int64_t most : kStrongestOfTable) {
        if (most + 1 < question.players.count()) consider(ranking.strongest(most));
      }
    }
    if (!question.tokens) return;
    for (const std::string& text : coarser_players(*question.tokens, kMostParts)) consider(row_players(question, text));
  };
  look(kAffordable);
  // Of large models the time decides.
  if (found.empty() && reporting.spending.limited()) look(std::numeric_limits<double>::infinity());
  return found;
}

// ---- effects ----

std::vector<document::SetEffect> set_effects(const std::vector<Effect>& effects) {
  std::vector<document::SetEffect> list;
  for (const Effect& effect : effects) {
    list.push_back({{effect.support.begin(), effect.support.end()}, document::rounded(effect.value)});
  }
  return list;
}

std::vector<document::OrderEffects> order_effects(const EffectSummary& summary) {
  double all = 0;
  for (const OrderSummary& order : summary.orders) all += order.absolute;
  std::vector<document::OrderEffects> list;
  for (const OrderSummary& order : summary.orders) {
    list.push_back({order.order, order.count, document::number(order.sum), document::number(order.absolute),
                    document::number(all > 0 ? order.absolute / all : 0)});
  }
  return list;
}

document::Effects effects_of(const RowQuestion& question, ExplainedModel& model, const Progress& progress) {
  Game game = question_game(model, question);
  const Dividends dividends = exact_dividends(game, model.memory(), false, progress);
  SummaryOptions options;
  options.epsilon = model.real() == DType::f64 ? 0x1p-52 : 0x1p-23;
  const EffectSummary summary = summarize(dividends, options);
  return {player_list(question),
          document::number(summary.output),
          document::number(summary.baseline_output),
          document::number(summary.remainder),
          order_effects(summary),
          document::numbers(summary.independent),
          set_effects(summary.strongest),
          set_effects(summary.pairs),
          set_effects(summary.triples)};
}

// The finest that can be afforded; the coarsest if none can.
const RowQuestion& affordable_parts(const std::vector<RowQuestion>& candidates, double forward, double seconds) {
  for (const RowQuestion& one : candidates) {
    const double rows = masks(one.players.count()) * static_cast<double>(one.baseline_count());
    if (rows * forward <= seconds) return one;
  }
  return candidates.back();
}

// What is coarser than the model's work alone would have it.
void note_parts(const RowQuestion& chosen, const RowQuestion& finest, const char* part, Spending& spending) {
  if (chosen.players.count() >= finest.players.count()) return;
  spending.cut({part,
                fmt::format("{} parts ({}) instead of {}", chosen.players.count(), chosen.players.description,
                            finest.players.count()),
                fmt::format("`parts` {} with a larger `budget` has all of them", finest.players.description)});
}

void add_effects(document::Row& row, const Reporting& reporting, Ranking& ranking, ExplainedModel& model,
                 size_t number) {
  Spending& spending = reporting.spending;
  const RowQuestion& whole = reporting.explained.rows[number];
  const std::vector<RowQuestion> candidates = with_parts(whole, reporting, ranking, masks);
  if (candidates.empty()) {
    const std::string reason = fmt::format("every set of players would have to be masked; {}", kAdvice);
    reporting.running.note(fmt::format("no decomposition: {}", reason));
    row.absent.push_back({"decomposition", reason});
    return;
  }
  const double most = kMostOfEffects * reporting.left(number);
  const RowQuestion& parted =
      affordable_parts(candidates, reporting.few_pace.forward, kShareOfEffects * reporting.left(number));
  Spent spent{"decomposition", {}, 0, parted.players.description};
  const double planned =
      masks(parted.players.count()) * static_cast<double>(parted.baseline_count()) * reporting.few_pace.forward;
  if (spending.limited()) spent.planned = planned;
  const auto left_out = [&](const char* what, const std::string& reason) {
    row.absent.push_back({"decomposition", reason});
    spending.cut({"decomposition", what, "ascribe decompose, or a larger `budget`, computes it"});
  };
  if (planned > most) {
    return left_out("left out",
                    fmt::format("it would take about {}, of {} that are left; ascribe decompose or a larger `budget` "
                                "computes it",
                                seconds_text(planned), seconds_text(most)));
  }
  note_parts(parted, candidates[0], "decomposition", spending);
  note_strongest(whole.players, parted.players, reporting.running);
  const bool done =
      spending.within(most, std::move(spent), reporting.running.progress_of("decomposition"),
                      [&](const Progress& progress) { row.effects = effects_of(parted, model, progress); });
  if (!done) {
    left_out("stopped, and left out",
             fmt::format("{}; ascribe decompose or a larger `budget` computes it", stopped_text(most)));
  }
}

// ---- principles ----

struct Allocated {
  const ChosenMethod& chosen;
  SetAllocation allocation;
  QuestionAudit audit;
};

document::Verdict verdict_of(const Verdict& verdict) {
  return {document::number(verdict.figure), verdict.tolerance, verdict.holds, verdict.reason};
}

document::MethodPrinciples principles_of(const Allocated& one, const Question& question) {
  const Verdicts& verdicts = one.audit.verdicts;
  document::MethodPrinciples method;
  method.name = one.chosen.method.name;
  method.low_error = verdict_of(verdicts[Principle::low_error]);
  method.no_unrelated = verdict_of(verdicts[Principle::no_unrelated]);
  method.complete = verdict_of(verdicts[Principle::complete]);
  method.held = verdicts.held();
  method.given = document::number(one.audit.sum);
  method.exact = one.allocation.exact;
  method.sentence =
      fmt::format("{}", fmt::join(audit_sentences({one.chosen.method, one.audit, one.allocation}, question), " "));
  return method;
}

std::string why_not(const ChosenMethod& chosen, int64_t work_per_row) {
  if (chosen.method.kind != AttributionKind::contribution) return "gives slopes, which are not shares of the change";
  const bool modules =
      chosen.method.name == "deep_shap" && !chosen.own && chosen.parameters.text("granularity") == "module";
  if (!modules || work_per_row <= kWorkOfModules) return "";
  return "Shapley values of every neuron for every masked input take long; ascribe audit computes them";
}

// Methods that can be judged, and why the others cannot.
std::vector<WantedAudit> judged_methods(const Reporting& reporting, std::vector<document::LeftOut>& left_out) {
  std::vector<WantedAudit> wanted;
  const auto rows = static_cast<double>(reporting.explained.rows.size());
  for (const MethodAnswer& method : reporting.explained.methods) {
    std::string reason = why_not(method.chosen, reporting.work_per_row);
    if (reason.empty()) wanted.push_back({&method.chosen, reporting.spending.told(method.seconds / rows)});
    else left_out.push_back({method.name(), std::move(reason)});
  }
  return wanted;
}

struct PartedPlan {
  RowQuestion question;
  AuditPlan plan;
};

// The finest parts whose audits fit into the time.
PartedPlan plan_of(const Reporting& reporting, const std::vector<RowQuestion>& candidates,
                   const std::vector<WantedAudit>& wanted, const ExplainedModel& model, double seconds) {
  const bool kinks = has_kinks(model.graph());
  PartedPlan planned;
  for (const RowQuestion& one : candidates) {
    planned = {one, plan_audits(wanted, one, kinks, reporting.few_pace, seconds)};
    if (planned.plan.fits) break;
  }
  return planned;
}

// Judges one method; false: there was no time for it.
bool judge_within(const Reporting& reporting, const WantedAudit& wanted, const PartedPlan& planned, size_t audit,
                  ExplainedModel& model, double most, std::optional<Allocated>& found) {
  const ChosenMethod& chosen = *wanted.chosen;
  Spending& spending = reporting.spending;
  Effort effort = effort_of(reporting.work_per_row, kWorkOfReport);
  Spent spent{"principles, " + chosen.method.name, {}, 0, {}};
  if (spending.limited()) {
    spent.planned = planned.plan.seconds[audit];
    if (*spent.planned > most) return false;
    effort = planned.plan.effort(audit, effort, reporting.few_pace);
    if (integrates(chosen.method)) spent.decision = fmt::format("{:.0f} nodes at first", effort.first_nodes);
  }
  return spending.within(most, std::move(spent), reporting.running.progress_of("principles, " + chosen.method.name),
                         [&](const Progress& progress) {
                           SettledAudit settled =
                               settled_audit(chosen.method, model, planned.question, audited_settings(chosen),
                                             reporting.running.seed(), effort, progress);
                           found.emplace(Allocated{chosen, std::move(settled.allocation), std::move(settled.audit)});
                         });
}

std::vector<Allocated> allocations_of(const Reporting& reporting, const std::vector<WantedAudit>& wanted,
                                      const PartedPlan& planned, ExplainedModel& model, size_t number,
                                      std::vector<document::LeftOut>& left_out) {
  std::vector<std::optional<Allocated>> found(wanted.size());
  std::vector<std::string> reasons(wanted.size());
  for (const size_t i : cheapest_first(planned.plan)) {
    const std::string& name = wanted[i].chosen->method.name;
    const double most = reporting.left(number);
    try {
      if (judge_within(reporting, wanted[i], planned, i, model, most, found[i])) continue;
      const bool began = planned.plan.seconds[i] <= most;
      reasons[i] = fmt::format("{}; ascribe audit with `method` {} and a larger `budget` computes it",
                               began ? stopped_text(most)
                                     : fmt::format("it would take about {}, of {} that are left",
                                                   seconds_text(planned.plan.seconds[i]), seconds_text(most)),
                               name);
      reporting.spending.cut({"principles, " + name, began ? "stopped, and left out" : "left out",
                              fmt::format("ascribe audit with `method` {} and a larger `budget` computes it", name)});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
      reasons[i] = error.what();
    }
  }
  std::vector<Allocated> all;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (found[i]) all.push_back(std::move(*found[i]));
    else left_out.push_back({wanted[i].chosen->method.name, reasons[i]});
  }
  return all;
}

// Those that are least alike first.
std::vector<document::Difference> differences_of(const std::vector<Allocated>& all, const Players& players) {
  std::vector<document::Difference> found;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const Comparison comparison = compare_allocations(all[i].allocation, all[j].allocation);
      found.push_back({all[i].chosen.method.name, all[j].chosen.method.name, comparison.correlation,
                       document::number(comparison.difference), difference_sentence(comparison, players)});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return *a.cosine < *b.cosine; });
  for (document::Difference& one : found) one.cosine = document::number(*one.cosine);
  return found;
}

// Methods may have drawn baselines of their own.
double change_of(const Question& question, ExplainedModel& model) {
  return model.values(question.point, std::array{question.target})[0] - model.baseline_output(question);
}

void add_principles(document::Row& row, const Reporting& reporting, const std::vector<RowQuestion>& candidates,
                    ExplainedModel& model, size_t number) {
  cost_of_allocation(candidates[0]);
  document::Principles principles;
  const std::vector<WantedAudit> wanted = judged_methods(reporting, principles.left_out);
  const PartedPlan planned = plan_of(reporting, candidates, wanted, model, kShareOfPrinciples * reporting.left(number));
  const RowQuestion& question = planned.question;
  note_parts(question, candidates[0], "principles", reporting.spending);
  note_strongest(reporting.explained.rows[number].players, question.players, reporting.running);
  const std::vector<Allocated> all = allocations_of(reporting, wanted, planned, model, number, principles.left_out);
  if (all.empty()) {
    std::string reason = "there is no method that could be judged";
    for (const document::LeftOut& left : principles.left_out)
      reason += fmt::format("; {}: {}", left.method, left.reason);
    row.absent.push_back({"principles", std::move(reason)});
    return;
  }
  principles.players = player_list(question);
  principles.change = document::number(change_of(question, model));
  principles.precision = to_string(model.real());
  if (const std::string text = cancelling_text(all[0].audit.change, all[0].audit.effects); !text.empty()) {
    reporting.running.note(fmt::format("principles: {}", text));
  }
  for (const Allocated& one : all) principles.methods.push_back(principles_of(one, question));
  row.principles = std::move(principles);
  row.differences = differences_of(all, question.players);
}

}  // namespace

bool affords_double(int64_t work_per_row) { return work_per_row <= kWorkInDouble; }

void add_parts(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number) {
  const RowQuestion& whole = reporting.explained.rows[number];
  Ranking ranking(model, whole, reporting.running);
  add_effects(row, reporting, ranking, model, number);
  const std::vector<RowQuestion> candidates = with_parts(whole, reporting, ranking, passes_of_principles);
  const auto without = [&](const std::string& reason) {
    reporting.running.note(fmt::format("no principles: {}", reason));
    row.absent.push_back({"principles", reason});
  };
  if (candidates.empty()) {
    return without(fmt::format("every method would have to explain every masked input; {}", kAdvice));
  }
  try {
    add_principles(row, reporting, candidates, model, number);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric && error.kind() != ErrorKind::argument) throw;
    without(error.what());
  }
}

}  // namespace ascribe::core::study
