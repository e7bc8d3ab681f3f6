// Audits and comparisons of few players in words, for the terminal and for reports.
#pragma once

#include <string>
#include <vector>

#include "methods/method.h"
#include "theory/comparison.h"
#include "theory/question_audit.h"
#include "theory/term_audit.h"

namespace ascribe::core::study {

// One method on one question.
struct AuditedMethod {
  const Method& method;
  const QuestionAudit& audit;
  const SetAllocation& allocation;
};

// A sentence or two for each: what is left unexplained, counted several times, given without players, leaked; what is
// left open, and why. Amounts come with their share of the sizes of all effects.
std::vector<std::string> audit_sentences(const AuditedMethod& one, const Question& question);

// The same per Taylor term: what holds, and the term with which most goes wrong.
std::string terms_sentence(const TermAudit& terms, const Players& players);

// "r1c1 with r1c2", "r1c1 alone"
std::string pair_text(const PairDifference& pair, const Players& players);
// What two methods share out differently, most of all.
std::string difference_sentence(const Comparison& comparison, const Players& players);

}  // namespace ascribe::core::study
