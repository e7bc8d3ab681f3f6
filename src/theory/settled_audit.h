// The audit of a method on a question, with as much effort as its verdicts take: integrals get more nodes and sampled
// methods more draws until every verdict is yes or no, or until what may be spent is spent. What is then still open
// stays open; it is never laid to the method. A parameter that the caller set is left as it is.
#pragma once

#include <map>
#include <string>

#include "theory/question_audit.h"

namespace ascribe::core {

struct Effort {
  double most_evaluations = 2e6;  // rows of the network for all masked inputs together; the first round runs anyway
  double first_nodes = 64;        // that an integral may take in the first round
};

struct SettledAudit {
  SetAllocation allocation;
  QuestionAudit audit;
  Parameters parameters;  // of the last round
};

// `given`: the parameters that the caller set.
SettledAudit settled_audit(const Method& method, ExplainedModel& model, const Question& question,
                           const std::map<std::string, std::string>& given, uint64_t seed = 0,
                           const Effort& effort = {}, const Progress& progress = {});

}  // namespace ascribe::core
