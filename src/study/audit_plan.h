// What audits of methods take (theory/settled_audit.h), and how many nodes their integrals begin with, so that all of
// them fit into a time.
#pragma once

#include "study/affordable.h"
#include "theory/settled_audit.h"

namespace ascribe::core::study {

struct WantedAudit {
  const ChosenMethod* chosen;
  double seconds = 0;  // that a single attribution took; 0: not known
};

struct AuditPlan {
  double nodes = 0;             // that integrals begin with
  std::vector<double> seconds;  // of each
  double slack = 0;             // what is left of the time
  bool fits = true;

  double total() const;
  // What the verdicts of one of them may take, in rows of the network.
  Effort effort(size_t audit, const Effort& usual, const Pace& pace) const;
};

// Of all sets of players of the question.
AuditPlan plan_audits(std::span<const WantedAudit> wanted, const Question& question, bool kinks, const Pace& pace,
                      double seconds);

// The parameters with which a method is audited: as it was run; of integrals the caller's alone, for they get the nodes
// that their verdicts need.
std::map<std::string, std::string> audited_settings(const ChosenMethod& chosen);

// The cheapest first: a stop then takes the fewest.
std::vector<size_t> cheapest_first(const AuditPlan& plan);

}  // namespace ascribe::core::study
