// The three principles on one question, read from the allocation per set (docs/howto/audit.md), and where the
// attribution went as a balance:
//   sum of the attribution = change - left unexplained + counted again + given with every player masked
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

struct QuestionAudit {
  PrincipleFigures figures;
  double change = 0;         // f(x) - f(b)
  double sum = 0;            // of the attribution
  double unexplained = 0;    // net, over all sets
  double counted_again = 0;  // net
  double without_players = 0;
  double effects = 0;  // the sum of the sizes of all effects
  // What player i receives of effects it takes no part in, net: its attribution when it alone is masked.
  std::vector<double> unrelated;
  double leaked = 0;  // the sum of their sizes

  // What players receive of effects that others have without them: an effect counts for each of its players in equal
  // parts. By size, the largest first; likewise below.
  std::vector<Flow> leaks;
  // What is counted again of effects that two players have together (from < to), in equal parts for every pair; effects
  // of one player are under from = to.
  std::vector<Flow> repetitions;
  std::vector<Imbalance> imbalances;
};

// Fails, kind numeric, if f(x) = f(b): there is nothing to share out.
QuestionAudit audit_question(const SetAllocation& allocation);

}  // namespace ascribe::core
