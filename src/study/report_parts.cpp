// The sections of a report about few players, of which every set is masked: the output taken apart, the three
// principles on this question, why methods differ.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "game/effect_summary.h"
#include "methods/question_game.h"
#include "study/audit_words.h"
#include "study/few_players.h"
#include "study/joint_inputs.h"
#include "study/report_sections.h"
#include "theory/principles.h"

namespace ascribe::core::study {

namespace {

// Images are cut into the first of these grids that is affordable.
constexpr std::array<std::pair<int64_t, int64_t>, 3> kGrids = {{{3, 3}, {2, 3}, {2, 2}}};
constexpr std::array<int64_t, 4> kSegmentsOfSeries = {9, 6, 4, 2};  // of series
constexpr int64_t kPassesPerMask = 400;                             // of all methods together, integrals with few nodes
constexpr double kAffordable = 2.8e12;                              // multiply-adds: well below a minute
constexpr int64_t kOverhead = 5'000'000;     // of a small image on its way through a network, in multiply-adds
constexpr int64_t kWorkInDouble = 500'000;   // multiply-adds per row: what is larger is asked in float
constexpr int64_t kWorkOfModules = 100'000;  // the same, for Shapley values of every neuron
constexpr double kWorkOfReport = 5e10;       // multiply-adds that a method's verdicts may take if they are not settled
constexpr int64_t kMostParts = 12;           // whose effects are read one by one
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

// The finest first.
std::vector<std::string> divisions_of(const RowQuestion& question) {
  std::vector<std::string> divisions;
  if (const auto& image = question.players.image) {
    for (const auto& [rows, columns] : kGrids) {
      if (rows <= image->height && columns <= image->width)
        divisions.push_back(fmt::format("grid:{}x{}", rows, columns));
    }
  }
  if (const auto& series = question.players.series) {
    for (const int64_t parts : kSegmentsOfSeries) divisions.push_back(segments_text(*series, parts));
  }
  return divisions;
}

// The question with the parts that are asked for, or with the finest that are affordable. Nothing: there are none.
std::optional<RowQuestion> with_parts(const RowQuestion& question, const Reporting& reporting,
                                      double (*passes)(int64_t players)) {
  RowQuestion parted = question;
  if (!reporting.request.parts.empty()) {
    parted.players = parts_named(reporting.request.parts, question);
    return parted;
  }
  const auto work = static_cast<double>(reporting.work_per_row + (question.players.plane() ? kOverhead : 0));
  const auto fits = [&] {
    return parted.players.count() <= kMostParts && work * passes(parted.players.count()) <= kAffordable;
  };
  if (fits()) return parted;
  for (const std::string& parts : divisions_of(question)) {
    parted.players = parts_named(parts, question);
    if (fits()) return parted;
  }
  for (const std::string& text :
       question.tokens ? coarser_players(*question.tokens, kMostParts) : std::vector<std::string>()) {
    parted.players = row_players(question, text);
    if (fits()) return parted;
  }
  return std::nullopt;
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

document::Effects effects_of(const RowQuestion& question, ExplainedModel& model, const Running& running) {
  Game game = question_game(model, question);
  const Dividends dividends = exact_dividends(game, model.memory(), false, running.progress_of("decomposition"));
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

std::vector<Allocated> allocations_of(const Reporting& reporting, const Question& question, ExplainedModel& model,
                                      std::vector<document::LeftOut>& left_out) {
  std::vector<Allocated> all;
  for (const MethodAnswer& method : reporting.explained.methods) {
    if (std::string reason = why_not(method.chosen, reporting.work_per_row); !reason.empty()) {
      left_out.push_back({method.name(), std::move(reason)});
      continue;
    }
    try {
      SettledAudit settled = settled_audit(method.chosen.method, model, question, method.chosen.given,
                                           reporting.running.seed(), effort_of(reporting.work_per_row, kWorkOfReport),
                                           reporting.running.progress_of("principles, " + method.name()));
      all.push_back({method.chosen, std::move(settled.allocation), std::move(settled.audit)});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
      left_out.push_back({method.name(), error.what()});
    }
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

void add_principles(document::Row& row, const Reporting& reporting, const RowQuestion& question,
                    ExplainedModel& model) {
  cost_of_allocation(question);
  document::Principles principles;
  const std::vector<Allocated> all = allocations_of(reporting, question, model, principles.left_out);
  if (all.empty()) return;
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

void add_parts(document::Row& row, const Reporting& reporting, ExplainedModel& model, const RowQuestion& question) {
  Running& running = reporting.running;
  if (const auto parted = with_parts(question, reporting, masks)) {
    row.effects = effects_of(*parted, model, running);
  } else {
    running.note(fmt::format("no decomposition: every set of players would have to be masked; {}", kAdvice));
  }
  const auto parted = with_parts(question, reporting, passes_of_principles);
  if (!parted) {
    running.note(fmt::format("no principles: every method would have to explain every masked input; {}", kAdvice));
    return;
  }
  try {
    add_principles(row, reporting, *parted, model);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric && error.kind() != ErrorKind::argument) throw;
    running.note(fmt::format("no principles: {}", error.what()));
  }
}

}  // namespace ascribe::core::study
