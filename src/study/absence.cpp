#include "study/absence.h"

#include <algorithm>

namespace ascribe::core::study {

namespace {

bool has_categories(const RowQuestion& question) {
  return std::any_of(question.parts.begin(), question.parts.end(), [](const RowPart& part) {
    return std::any_of(part.texts.begin(), part.texts.end(), [](const auto& text) { return !text.categories.empty(); });
  });
}

}  // namespace

void take_absence(RowQuestion& question, const std::string& text) {
  question.absence = absence_named(text);
  const int64_t rows = question.baseline_count();
  if (text == "baseline" && rows > 1) {
    fail(ErrorKind::argument, "absence", "baseline is one row in the place of absent players; `baseline` {} has {}",
         question.baseline, rows);
  }
  if (!text.empty() && text != "baseline" && rows == 1) {
    fail(ErrorKind::argument, "absence",
         "{} takes absent players from background rows; `baseline` {} is one row; expected data:FILE", text,
         question.baseline);
  }
  if (question.absence.kind == Absence::Kind::gaussian && has_categories(question)) {
    fail(ErrorKind::argument, "absence",
         "categories are not Gaussian; got {}; expected conditional:kernel or conditional:equal, which take them from "
         "rows as they are",
         text);
  }
}

std::string absence_text(const Question& question) {
  switch (question.absence.kind) {
    case Absence::Kind::as_given: return question.baseline_count() == 1 ? "baseline" : "marginal";
    case Absence::Kind::gaussian: return "conditional:gaussian";
    case Absence::Kind::kernel:
      return question.absence.width == 0 ? "conditional:equal"
                                         : fmt::format("conditional:kernel:{:g}", question.absence.width);
  }
  return "";
}

}  // namespace ascribe::core::study
