#include "study/few_players.h"

#include <cmath>

#include <fmt/ranges.h>

#include "game/subsets.h"
#include "passes/choices.h"
#include "study/asked.h"
#include "study/strongest_players.h"

namespace ascribe::core::study {

namespace {

constexpr const char* kImagePlayers = "grid:3x3";
constexpr int64_t kFewTokens = 10;        // players that a text is cut into
constexpr int64_t kSegments = 9;          // of a series
constexpr size_t kNamed = 4;              // players of a set that are named
constexpr double kNoShare = 1e-9;         // less than this share is nothing
constexpr double kLargeShare = 100;       // more than this share is told roughly
constexpr double kCancelling = 0.05;      // of the effects: a smaller change is what they leave of each other
constexpr double kWorkOfVerdicts = 2e11;  // multiply-adds for the verdicts of a method: seconds
constexpr int64_t kOverheadPerRow = 30'000;
constexpr const char* kCoarserPlayers[] = {"grid:2x3", "grid:2x2", "grid:1x2"};  // where there is no time for grid:3x3
constexpr int64_t kFewerSegments[] = {6, 4, 2};                                  // of a series, or tokens together
constexpr double kShareOfAudits = 0.9;                                           // of the time that is left

// Of text the finest that are few enough.
void make_few_tokens(RowQuestion& question, std::vector<std::string>& notes) {
  for (const std::string& text : coarser_players(*question.tokens, kFewTokens)) {
    Players players = row_players(question, text);
    if (players.count() > kFewTokens) continue;
    question.players = std::move(players);
    notes.push_back(fmt::format("players: {}, because every set of them is masked; `players` chooses others", text));
    return;
  }
}

void make_few(RowQuestion& question, std::vector<std::string>& notes) {
  if (question.tokens && question.players.count() > kMostAllocatedPlayers) return make_few_tokens(question, notes);
  if (!question.picture || question.players.count() <= kMostAllocatedPlayers) return;
  const ImageShape& shape = question.picture->shape;
  const std::string wanted = shape.series ? segments_text(shape, kSegments) : kImagePlayers;
  question.players = make_players({wanted, question.row, shape, question.players.channels, &question.x()});
  notes.push_back(fmt::format("players: {}, because every set of them is masked; `players` chooses others", wanted));
}

}  // namespace

std::string segments_text(const ImageShape& series, int64_t most) {
  const int64_t length = (series.width + most - 1) / most;
  return length <= 1 ? "time" : fmt::format("time:{}", length);
}

FewPlayers ask_few_players(const Subject& given, const QuestionRequest& request, Running& running) {
  const Subject subject = asked(given, request, running);
  const Model& model = subject.model();
  std::vector<std::string> notes = model.notes();
  const DType real = model.chose_precision() ? model.precision() : DType::f64;
  QuestionMaker maker(subject, request, running.seed(), notes, real);
  maker.read_rows();
  if (maker.questions().size() != 1) {
    fail(ErrorKind::argument, request.rows.where(), "got {} rows; expected one, or `row` to choose it",
         maker.questions().size());
  }
  if (!request.chose_players()) make_few(maker.questions()[0], notes);
  maker.take_baselines();
  maker.take_targets();
  ExplainedModel& explained = subject.explained(request.options(maker.questions()[0], real));
  notes.insert(notes.end(), explained.notes().begin(), explained.notes().end());
  running.note(notes);
  return {std::move(maker.questions()[0]), explained, subject};
}

void join_weak_players(FewPlayers& asked, const QuestionRequest& request, Running& running) {
  RowQuestion& question = asked.question;
  if (request.chose_players() || question.players.count() <= kMostAllocatedPlayers || !can_be_ranked(question)) return;
  const std::vector<size_t> ranking =
      players_by_strength(asked.model, question, running.progress_of("the strongest columns"));
  running.note(
      fmt::format("players: {}; `players` chooses others", strongest_note(question.players, kStrongestPlayers)));
  question.players = strongest_players(question.players, ranking, kStrongestPlayers);
}

namespace {

// The finest first.
std::vector<Players> coarser_divisions(const RowQuestion& question) {
  std::vector<Players> all;
  const auto cut = [&](const std::string& text) {
    all.push_back(
        make_players({text, question.row, question.picture->shape, question.players.channels, &question.x()}));
  };
  if (question.tokens) {
    for (const int64_t most : kFewerSegments) {
      for (const std::string& text : coarser_players(*question.tokens, most)) {
        Players players = row_players(question, text);
        if (players.count() <= most) all.push_back(std::move(players));
      }
    }
  } else if (question.picture && question.picture->shape.series) {
    for (const int64_t most : kFewerSegments) cut(segments_text(question.picture->shape, most));
  } else if (question.picture && question.players.image) {
    for (const char* grid : kCoarserPlayers) cut(grid);
  }
  return all;
}

}  // namespace

FittingAudits fit_audits(FewPlayers asked, const std::vector<ChosenMethod>& methods, const QuestionRequest& request,
                         const TimeKeeping& time, Spending& spending) {
  std::vector<WantedAudit> wanted;
  for (const ChosenMethod& chosen : methods) wanted.push_back({&chosen});
  AuditPlan plan;
  plan.seconds.assign(wanted.size(), 0.0);
  if (!spending.limited()) return {std::move(asked), std::move(plan)};
  Pace pace;
  ExplainedModel* model = &asked.model;
  RowQuestion& question = asked.question;
  const auto measure = [&] {
    pace = spending.told(
        [&] { return time.pace ? time.pace(*model) : measured_pace(*model, question, spending.clock()); });
  };
  const auto fits = [&] {
    plan = plan_audits(wanted, question, has_kinks(model->graph()), pace,
                       spending.at_least(kShareOfAudits * spending.left()));
    return plan.fits;
  };
  measure();
  const Model& file = asked.subject.model();
  if (!fits() && !file.chose_precision() && file.precision() == DType::f32) {
    model = &asked.subject.explained(request.options(question));
    measure();
    fits();
    spending.cut({"precision", "float instead of double: verdicts tolerate more", "`precision` double chooses it"});
  }
  const std::string before = question.players.description;
  const bool given = request.chose_players();
  for (Players& players : plan.fits || given ? std::vector<Players>() : coarser_divisions(question)) {
    if (players.count() >= question.players.count()) continue;
    question.players = std::move(players);
    if (fits()) break;
  }
  if (const std::string& now = question.players.description; now != before) {
    spending.cut(
        {"players", fmt::format("{} instead of {}", now, before), fmt::format("`players` {} chooses those", before)});
  }
  return {{std::move(question), *model, asked.subject}, std::move(plan), pace};
}

void note_cuts(const Spending& spending, Running& running) {
  for (const Shortened& cut : spending.cuts()) {
    running.note(
        fmt::format("to stay within {}: {}: {}; {}", seconds_text(spending.budget()), cut.part, cut.what, cut.instead));
  }
}

Effort effort_of(int64_t work_per_row, double work) {
  return {work / static_cast<double>(work_per_row + kOverheadPerRow)};
}

Effort usual_effort(const FewPlayers& asked) {
  return effort_of(asked.model.model().cost().macs_per_row, kWorkOfVerdicts);
}

SettledAudit settled_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running) {
  return settled_of(chosen, asked, running, usual_effort(asked), running.progress_of(chosen.method.name));
}

SettledAudit settled_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running,
                        const Effort& effort, const Progress& progress) {
  if (chosen.method.kind != AttributionKind::contribution) {
    fail(ErrorKind::argument, chosen.method.name, "gives slopes, which are not shares of f(x) - f(b)");
  }
  return settled_audit(chosen.method, asked.model, asked.question, chosen.given, running.seed(), effort, progress);
}

std::string players_text(const Players& players, uint64_t set) {
  std::vector<std::string> names;
  for (const int p : members_of(set)) names.push_back(players.names[static_cast<size_t>(p)]);
  if (names.empty()) return "nobody";
  if (names.size() == 1) return names[0];
  if (names.size() > kNamed) {
    const std::string more = fmt::format("{} more", names.size() - kNamed + 1);
    names.resize(kNamed - 1);
    names.push_back(more);
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string percent(double share) {
  if (std::abs(share) < kNoShare) return "0 %";
  if (std::abs(share) > kLargeShare) return fmt::format("{:.0e} %", 100 * share);
  const double hundredths = 100 * share;
  return std::abs(hundredths) >= 0.1 ? fmt::format("{:.1f} %", hundredths) : fmt::format("{:.1g} %", hundredths);
}

std::string with_share(double amount, double effects) {
  if (amount == 0 || std::abs(amount) < kNoShare * effects) return "0";
  if (effects == 0) return fmt::format("{:+.4g}", amount);
  return fmt::format("{:+.4g} ({})", amount, percent(std::abs(amount / effects)));
}

std::string figure_text(double figure) {
  if (std::isnan(figure)) return "nothing to judge";
  return figure < kNoShare ? "0" : percent(figure);
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.holds == true) return "yes";
  return fmt::format("{} ({})", verdict.holds ? "no" : "open", figure_text(verdict.figure));
}

std::string held_text(const Verdicts& verdicts) {
  const int open = verdicts.open();
  return fmt::format("{} of 3 principles hold here{}", verdicts.held(),
                     open == 0 ? "" : fmt::format(", {} {} left open", open, open == 1 ? "is" : "are"));
}

std::string cancelling_text(double change, double effects) {
  if (effects == 0 || std::abs(change) >= kCancelling * effects) return "";
  if (std::abs(change) < kNoShare * effects) return "f(x) and f(b) are the same: effects of both signs cancel.";
  return fmt::format("The change of {:+.4g} is small beside them: effects of both signs cancel.", change);
}

Json to_json(const Verdict& verdict) {
  Json json = Json::object({{"figure", verdict.figure},
                            {"error", verdict.error},
                            {"tolerance", verdict.tolerance},
                            {"verdict", verdict.holds}});
  if (!verdict.holds) json["reason"] = verdict.reason;
  return json;
}

Json question_json(const std::string& model, const RowQuestion& question, double baseline_output, double change) {
  Json json = Json::object({{"model", model},
                            {"input", question.source},
                            {"target", target_json(question)},
                            {"explains", question.explains},
                            {"output", baseline_output + change},
                            {"baseline_output", baseline_output},
                            {"change", change},
                            {"baseline", question.baseline},
                            {"baselines", question.baseline_count()},
                            {"grouping", question.players.description},
                            {"players", question.players.names}});
  if (question.tokens) {
    json["ids"] = question.tokens->ids;
    json["tokens"] = question.tokens->texts();
  }
  return json;
}

}  // namespace ascribe::core::study
