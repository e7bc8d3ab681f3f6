#include "study/asked.h"

#include "study/joint_inputs.h"

namespace ascribe::core::study {

Subject sized(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  static_cast<void>(rows);
  static_cast<void>(notes);
  return subject;
}

Subject asked(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes, bool together) {
  const Subject found = sized(subject, request.rows, notes);
  return together ? joined(found, request, notes) : found;
}

Subject asked(const Subject& subject, const QuestionRequest& request, Running& running, bool together) {
  std::vector<std::string> notes;
  Subject found = asked(subject, request, notes, together);
  running.note(notes);
  return found;
}

}  // namespace ascribe::core::study
