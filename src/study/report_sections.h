// The sections of a report that are computed for one row.
#pragma once

#include "study/explain.h"
#include "study/report.h"

namespace ascribe::core::study {

// A report at work.
struct Reporting {
  const ReportRequest& request;
  const ExplainResult& explained;
  int64_t work_per_row = 0;  // multiply-adds
  Running& running;
};

document::PlayerList player_list(const RowQuestion& question);
document::Facts facts_of(const Parameters& parameters);

// ---- few players (report_parts.cpp) ----

// Whether a model is small enough to ask about sets of few players in double.
bool affords_double(int64_t work_per_row);

// Fills in effects, principles and differences; where they cannot be, a note says why.
void add_parts(document::Row& row, const Reporting& reporting, ExplainedModel& model, const RowQuestion& question);

// ---- metrics (report_metrics.cpp) ----

std::vector<document::MetricScores> metrics_of(const Reporting& reporting, ExplainedModel& model, size_t row);

}  // namespace ascribe::core::study
