// The section of a report about more players than every set can be masked of: the strong effects of any order, found
// from few evaluations and told with their errors.
#include <algorithm>
#include <cmath>

#include "game/effect_summary.h"
#include "game/trees/tree_dividends.h"
#include "methods/question_game.h"
#include "methods/tree_question.h"
#include "study/estimated_effects.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kFewPlayers = 12;  // of these all effects are told
constexpr int64_t kMostPlayers = 4096;
constexpr int64_t kMostEvaluations = 6000, kMostInTime = 40000;  // without a limit of time, and with one
constexpr int64_t kEvaluationsPerPlayer = 12;                    // fewer say little
constexpr double kWork = 2e12;                    // multiply-adds: what may be spent where time is not limited
constexpr int64_t kEstimateOverhead = 1'000'000;  // of a row, in multiply-adds
constexpr double kSecondsPerPlayer = 2e-6;        // of looking for effects, for each evaluation; a guess for the first
constexpr double kShareOfTime = 0.3;              // of what is left for the row
constexpr size_t kMostTold = 24;                  // effects, and as many interactions
constexpr double kMostOfTrees = 1e6;              // effects
constexpr const char* kOfTrees = "trees";
constexpr const char* kPart = "estimated effects";

std::vector<document::EstimatedSet> told(const EstimatedEffects& found, size_t least_players) {
  std::vector<document::EstimatedSet> list;
  for (const VerifiedSet& set : verified_sets(found, least_players, kMostTold)) {
    list.push_back(
        {{set.players.begin(), set.players.end()}, document::rounded(set.value), document::number(set.interval)});
  }
  return list;
}

document::Estimated document_of(const EstimatedEffects& found, const RowQuestion& question) {
  const SparseEstimate& estimate = found.estimate;
  const EffectSummary summary = summarize(estimate.effects, {});
  document::Estimated section;
  section.players = player_list(question);
  section.estimator = estimate.estimator;
  section.evaluations = estimate.evaluations;
  section.output = document::number(summary.output);
  section.baseline_output = document::number(summary.baseline_output);
  section.not_found = document::number(summary.remainder);
  section.held_out = estimate.held_out.coalitions;
  if (estimate.held_out.defined) {
    section.r2 = document::number(estimate.held_out.r2);
    section.r2_error = document::number(estimate.held_out.r2_error);
  }
  section.effects = summary.count;
  double all = 0;
  for (const OrderSummary& order : summary.orders) all += order.absolute;
  for (const OrderSummary& order : summary.orders) {
    section.orders.push_back({order.order, order.count, document::number(order.sum), document::number(order.absolute),
                              document::number(all > 0 ? order.absolute / all : 0)});
  }
  section.in_company = told_in_company(found);
  section.asked = asked_anew(found, 1);
  section.asked_together = asked_anew(found, 2);
  section.strongest = told(found, 1);
  section.interactions = told(found, 2);
  return section;
}

// Of decision trees all effects are known, whatever the number of columns.
std::optional<document::Estimated> effects_of_trees(ExplainedModel& model, const RowQuestion& question) {
  if (!has_trees(model.graph())) return std::nullopt;
  const std::optional<QuestionTrees> trees = trees_of_question(model, question);
  const int64_t players = question.players.count();
  if (!trees || tree_dividend_count(trees->games, players, 0) > kMostOfTrees) return std::nullopt;
  EstimatedEffects found;
  found.estimate.estimator = kOfTrees;
  found.estimate.effects = tree_dividends(trees->games, players, 0, static_cast<int64_t>(kMostOfTrees), trees->output,
                                          trees->baseline_output);
  found.estimate.standard_errors.assign(found.estimate.effects.effects.size(), 0.0);
  for (const Effect& effect : found.estimate.effects.effects) found.verified.alone.emplace_back(effect.value);
  found.verified.in_company.resize(found.verified.alone.size());
  return document_of(found, question);
}

// Of an evaluation: the network alone.
double seconds_each(const Reporting& reporting, const RowQuestion& question) {
  return reporting.pace.forward * static_cast<double>(question.baseline_count());
}

int64_t affordable_work(const Reporting& reporting, const RowQuestion& question) {
  const auto rows = static_cast<double>(question.baseline_count());
  const double most = kWork / (static_cast<double>(reporting.work_per_row + kEstimateOverhead) * rows);
  return static_cast<int64_t>(std::min(static_cast<double>(kMostEvaluations), most));
}

}  // namespace

void add_estimated(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number) {
  const RowQuestion& question = reporting.explained.rows[number];
  const int64_t players = question.players.count();
  if (players <= kFewPlayers || players > kMostPlayers || !model.batched()) return;
  if (auto exact = effects_of_trees(model, question)) {
    row.estimated = std::move(exact);
    return;
  }
  Spending& spending = reporting.spending;
  const bool limited = spending.limited();
  const int64_t least = kEvaluationsPerPlayer * players;
  const int64_t first = limited ? least : affordable_work(reporting, question);
  const auto cut = [&](const char* what) {
    spending.cut({kPart, what, "ascribe decompose with `estimate` sparse computes them"});
  };
  const double each = seconds_each(reporting, question);
  const double guessed = each + kSecondsPerPlayer * static_cast<double>(players);
  const double share = limited ? kShareOfTime * reporting.left(number) : 0;
  if (first < least || (limited && guessed * static_cast<double>(least) > share)) return cut("left out");
  const auto estimate = [&](int64_t budget, double planned, double most) {
    Spent spent{kPart, {}, 0, fmt::format("{} evaluations", budget)};
    if (limited) spent.planned = planned;
    return spending.within(most, std::move(spent), reporting.running.progress_of(kPart), [&](const Progress& progress) {
      Game game = question_game(model, question);
      row.estimated = document_of(
          estimated_effects(game, model, question, {.budget = budget, .seed = reporting.running.seed()}, progress),
          question);
    });
  };
  try {
    const double start = spending.clock()();
    if (!estimate(first, guessed * static_cast<double>(first), 2 * share)) return cut("stopped, and left out");
    if (!limited) return;
    // The first tells how long it takes; with what is left of the share, more evaluations find more.
    const double took = spending.told(spending.clock()() - start);
    const int64_t more = evaluations_again(first, took, each, share - took, kMostInTime);
    if (more > first) estimate(more, share - took, 2 * (share - took));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::argument && error.kind() != ErrorKind::numeric) throw;
    reporting.running.note(fmt::format("no {}: {}", kPart, error.what()));
  }
}

}  // namespace ascribe::core::study
