// What commands that mask every set of players begin with: a question of few players, and the model in double, because
// effects of many players are sums of many terms with signs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/method_choice.h"
#include "cli/options.h"
#include "cli/question.h"
#include "theory/set_allocation.h"

namespace ascribe::core {

struct FewPlayersRequest {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  QuestionOptions question;
};

struct FewPlayersQuestion {
  RowQuestion question;
  std::unique_ptr<ExplainedModel> model;
  std::vector<std::string> notes;
};

// One row only. Images are cut by grid:3x3 if no players are named.
FewPlayersQuestion ask_few_players(const FewPlayersRequest& request);

// What the method gives of every effect, with a bar that names it.
SetAllocation allocation_of(const ChosenMethod& chosen, FewPlayersQuestion& asked, const GeneralOptions& general);
// "r0c1 and r1c1", "r0c0, r0c1, r0c2 and 4 more"; of the empty set "nobody".
std::string players_text(const Players& players, uint64_t set);

// An amount and its share of the change: "+0.41 (3.2 %)".
std::string with_share(double amount, double change);
// "3.2 %", "0 %", "1e-06 %".
std::string percent(double share);
// "0" for what is rounding beside 1.
std::string figure_text(double figure);

// {model, input, target, output, baseline_output, change, baseline, players...}
nlohmann::ordered_json question_as_json(const FewPlayersQuestion& asked, const FewPlayersRequest& request,
                                        double baseline_output, double change);
void print_question(const FewPlayersQuestion& asked, const FewPlayersRequest& request, double baseline_output,
                    double change);

}  // namespace ascribe::core
