// The sections of a report that are computed for one row.
#pragma once

#include "study/affordable.h"
#include "study/explain.h"
#include "study/prediction.h"
#include "study/report.h"

namespace ascribe::core::study {

// A report at work.
struct Reporting {
  const ReportRequest& request;
  const ExplainResult& explained;
  int64_t work_per_row = 0;  // multiply-adds
  Running& running;
  Spending& spending;
  Pace pace, few_pace;  // of what methods are asked about, and of sets of few players; only with a limit

  // Seconds that this row may still take.
  double left(size_t row) const {
    return spending.at_least(spending.left() / static_cast<double>(explained.rows.size() - row));
  }
};

// For those who ask about one row again and again (open_row.h): the players of images and series as a report chooses
// them, what the model and the methods say of a row, and the classes that come first.
void choose_usual_players(std::vector<RowQuestion>& rows, int64_t work_per_row, std::vector<std::string>& notes);
document::Row explained_row(const ExplainResult& result, size_t row, const std::vector<Prediction>& predictions,
                            const std::vector<std::string>& labels);
std::vector<document::TopClass> classes_put_first(const Prediction& prediction, int64_t row,
                                                  const std::vector<std::string>& labels);
document::PlayerList player_list(const RowQuestion& question);
document::Facts facts_of(const Parameters& parameters);

// ---- what reports on one row and on many share (report.cpp) ----

int64_t row_work(const Model& model);  // multiply-adds per row; a function is taken for a small model
document::RowKind row_kind(const RowQuestion& row);
document::Facts facts_of_model(const Subject& subject);
Pace pace_for(ExplainedModel& model, const Question& question, const TimeKeeping& time, const Spending& spending);
// `asked`, `computed`: masked inputs.
document::TimeSpent time_facts(const Spending& spending, const Pace& pace, int64_t asked = 0, int64_t computed = 0);

// ---- few players (report_parts.cpp) ----

// Whether a model is small enough to ask about sets of few players in double.
bool affords_double(int64_t work_per_row);

// Fills in effects, principles and differences; where they cannot be, it says why.
void add_parts(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number);

// ---- many players (report_estimated.cpp) ----

// Fills in the strong effects of more players than that, estimated.
void add_estimated(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number);

// ---- metrics (report_metrics.cpp) ----

void add_metrics(document::Row& row, const Reporting& reporting, ExplainedModel& model, size_t number);

}  // namespace ascribe::core::study
