// What verbs that mask every set of players begin with: a question about few players, and the model in double, because
// effects of many players are sums of many terms of both signs.
#pragma once

#include <string>
#include <vector>

#include "study/choice.h"
#include "study/question.h"
#include "theory/set_allocation.h"

namespace ascribe::core::study {

struct FewPlayers {
  RowQuestion question;
  ExplainedModel& model;
};

// One row only. Images are cut by grid:3x3 if no players are chosen.
FewPlayers ask_few_players(const Subject& subject, const QuestionRequest& request, Running& running);

// What the method gives of every effect.
SetAllocation allocation_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running);

// "r0c1 and r1c1", "r0c0, r0c1, r0c2 and 4 more"; of the empty set "nobody".
std::string players_text(const Players& players, uint64_t set);

// An amount and its share of the change: "+0.41 (3.2 %)".
std::string with_share(double amount, double change);
// "3.2 %", "0 %", "1e-06 %".
std::string percent(double share);
// "0" for what is rounding beside 1.
std::string figure_text(double figure);

// {model, input, target, output, baseline_output, change, baseline, players...}
Json question_json(const std::string& model, const RowQuestion& question, double baseline_output, double change);

}  // namespace ascribe::core::study
