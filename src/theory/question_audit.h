// The three principles on one question, read from the allocation per set (docs/howto/audit.md), and where the
// attribution went as a balance:
//   sum of the attribution = change - left unexplained + counted again + given with every player masked
// f(x) may be f(b): effects that cancel are effects.
// Of an effect J(S) of which G is given in all, the part between 0 and J(S) is explained; what is missing of J(S) is
// left unexplained, and what goes beyond (or has the other sign) is counted again.
#pragma once

#include <vector>

#include "theory/principles.h"
#include "theory/set_allocation.h"

namespace ascribe::core {

// Something between two players.
struct Flow {
  int from = 0, to = 0;
  double amount = 0;
};

// An effect that was not given out exactly once.
struct Imbalance {
  uint64_t set = 0;
  double effect = 0, given = 0;
  double amount() const { return given - effect; }
};

// Amounts of both signs: what they come to, and their sizes added up.
struct Amount {
  double net = 0, size = 0;
  void add(double amount);
};

struct QuestionAudit {
  PrincipleFigures figures, errors;
  Verdicts verdicts;
  double change = 0;                  // f(x) - f(b)
  double sum = 0;                     // of the attribution
  double effects = 0;                 // the sizes of all effects added up: what shares are of. 0: f does nothing here
  Amount unexplained, counted_again;  // the balance above has the net amounts
  double wrong_sign = 0;              // the size of the part of counted_again that has the sign against its effect
  double without_players = 0;
  Amount leaked;  // to players outside of an effect; net: per player, its sizes added up
  // What player i receives of effects it takes no part in, net: its attribution when it alone is masked.
  std::vector<double> unrelated;

  // What players receive of effects that others have without them: an effect counts for each of its players in equal
  // parts. By size, the largest first; likewise below.
  std::vector<Flow> leaks;
  // What is counted again of effects that two players have together (from < to), in equal parts for every pair; effects
  // of one player are under from = to.
  std::vector<Flow> repetitions;
  std::vector<Imbalance> imbalances;
};

// `real`: what the network was run in.
QuestionAudit audit_question(const SetAllocation& allocation, DType real = DType::f64);

}  // namespace ascribe::core
