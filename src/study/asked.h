// The model as a question needs it: sizes that the file leaves open are those of the data, and rows may enter behind
// the inputs of the file (entrance.h). Every verb asks its questions of this.
#pragma once

#include "study/question.h"

namespace ascribe::core::study {

// For data of any verb: with the sizes that they have, if the file leaves some open.
Subject sized(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes);

// For questions: that, and the entrance that the question calls for. `together`: several inputs may be explained as
// one.
Subject asked(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes,
              bool together = true);
// The same; notes are told.
Subject asked(const Subject& subject, const QuestionRequest& request, Running& running, bool together = true);

}  // namespace ascribe::core::study
