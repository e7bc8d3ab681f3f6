// What verbs that mask every set of players begin with: a question about few players, and the model in double, because
// effects of many players are sums of many terms of both signs.
#pragma once

#include <string>
#include <vector>

#include "study/audit_plan.h"
#include "study/question.h"

namespace ascribe::core::study {

struct FewPlayers {
  RowQuestion question;
  ExplainedModel& model;
  Subject subject;  // whose model it is
};

// One row only. Images are cut by grid:3x3 if no players are chosen.
// Players of a series: at most so many segments, "time:4".
std::string segments_text(const ImageShape& series, int64_t most);

FewPlayers ask_few_players(const Subject& subject, const QuestionRequest& request, Running& running);

// Of a table with more columns than can be judged, if no players are chosen: the strongest by themselves, the others as
// one (study/strongest_players.h).
void join_weak_players(FewPlayers& asked, const QuestionRequest& request, Running& running);

// What may be spent on verdicts (theory/settled_audit.h): rows that take about this many multiply-adds each.
Effort effort_of(int64_t work_per_row, double work);

// What is asked, and the audits of it: where time is limited, in float instead of double, and about fewer players
// unless they were chosen, until they fit.
struct FittingAudits {
  FewPlayers asked;
  AuditPlan plan;
  Pace pace = {};
};
FittingAudits fit_audits(FewPlayers asked, const std::vector<ChosenMethod>& methods, const QuestionRequest& request,
                         const TimeKeeping& time, Spending& spending);

// What is usually spent on the verdicts of a method.
Effort usual_effort(const FewPlayers& asked);

// What the method gives of every effect, and the three principles on it. Refuses slopes.
SettledAudit settled_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running);
SettledAudit settled_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running,
                        const Effort& effort, const Progress& progress);

// What was cut, as notes.
void note_cuts(const Spending& spending, Running& running);

// "r0c1 and r1c1", "r0c0, r0c1, r0c2 and 4 more"; of the empty set "nobody".
std::string players_text(const Players& players, uint64_t set);

// An amount and its share of the sizes of all effects: "+0.41 (3.2 %)".
std::string with_share(double amount, double effects);
// "3.2 %", "0 %", "1e-06 %".
std::string percent(double share);
// "0" for what is rounding beside 1.
std::string figure_text(double figure);
// "yes", "no (8.1 %)", "open (0.3 %)".
std::string verdict_text(const Verdict& verdict);
// "2 of 3 principles hold here, 1 is left open".
std::string held_text(const Verdicts& verdicts);
// Where the change is small beside the effects, which then cancel: a sentence. Otherwise empty.
std::string cancelling_text(double change, double effects);

// {figure, error, tolerance, verdict: true, false or null, reason if it is left open}
Json to_json(const Verdict& verdict);

// {model, input, target, output, baseline_output, change, baseline, players...}
Json question_json(const std::string& model, const RowQuestion& question, double baseline_output, double change);

}  // namespace ascribe::core::study
