// What absent players are, as a request names it (game/absence.h), held against the baselines of the question.
#pragma once

#include <string>

#include "study/question.h"

namespace ascribe::core::study {

// Refuses, kind argument, what does not go with the baselines: several rows for `baseline`, one row for the others.
void take_absence(RowQuestion& question, const std::string& text);

// "baseline", "marginal", "conditional:gaussian", "conditional:kernel:0.1" or "conditional:equal".
std::string absence_text(const Question& question);

}  // namespace ascribe::core::study
