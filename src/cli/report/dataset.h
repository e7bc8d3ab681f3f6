// The part of ascribe report that makes one page about many rows.
#pragma once

#include "cli/shared_options.h"
#include "study/dataset_report.h"

namespace ascribe::core::cli::command_report {

// Whether the request is answered by one page about all its rows: a folder of them, or more than would be a section
// each where somebody says how many (0: nobody did).
bool is_about_many(const study::Subject& subject, const study::ReportRequest& request, int64_t rows);

struct ManyRows {
  int64_t rows = 0;  // 0: as many as are usual
  int64_t pages = 12;
};
int report_many(const study::Subject& subject, const study::ReportRequest& request, const ManyRows& many,
                const Output& page, const General& general);

}  // namespace ascribe::core::cli::command_report
