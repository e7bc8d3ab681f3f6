// report: everything about one or several decisions in one document, which report/page.h shows (docs/howto/report.md).
// It chooses players, parts and settings that fit into its budget of time, by what a row of the model takes
// (study/budget.h, study/affordable.h), and says so. Without a budget they are chosen by the model's work alone.
#pragma once

#include <string>
#include <vector>

#include "study/budget.h"
#include "study/choice.h"
#include "study/document.h"
#include "study/question.h"

namespace ascribe::core::study {

struct ReportRequest {
  QuestionRequest question;
  std::vector<MethodWish> methods = {"all"};  // may be the caller's own
  std::vector<std::string> settings = {};     // [METHOD.]KEY=VALUE
  std::vector<std::string> metrics = {"infidelity", "infidelity_scaled", "deletion", "insertion"};
  std::string title = {};             // empty: what is explained
  std::string parts = {};             // the few players whose every set is masked; empty: as the model allows
  std::string budget = kUsualBudget;  // of time; "none": all that the model's work allows
  TimeKeeping time = {};
  int64_t most_rows = 20;    // that make sections without being chosen by number; more are refused
  std::string command = {};  // that makes the report again, to be told; empty: none
  std::string created = {};  // when, to be told; empty: nothing is
  Run run = {};
};

// The document is whole: work that is stopped is an error of kind cancelled.
document::Document report(const Subject& subject, const ReportRequest& request);

// "2026-11-17 15:08 UTC": now, or the seconds that the environment's SOURCE_DATE_EPOCH has.
std::string moment_text();

// Complains of methods, settings and metrics that there are not. report does so too; this is for callers who want to
// know before they open a model.
void check_report(const ReportRequest& request);

}  // namespace ascribe::core::study
