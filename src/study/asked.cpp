#include "study/asked.h"

#include "study/companions.h"
#include "study/cut_entrance.h"

namespace ascribe::core::study {

Subject sized(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  static_cast<void>(rows);
  static_cast<void>(notes);
  return subject;
}

Subject asked(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes) {
  for (const DeclaredValue& input : subject.open_inputs()) refuse_cache(input.name);
  return entered_at(sized(subject, request.rows, notes), request, notes);
}

Subject asked(const Subject& subject, const QuestionRequest& request, Running& running) {
  std::vector<std::string> notes;
  Subject found = asked(subject, request, notes);
  running.note(notes);
  return found;
}

}  // namespace ascribe::core::study
