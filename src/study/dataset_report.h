// The report on many rows: what a model does over a data set, and where explanations of it cannot be trusted, in one
// document of bounded size, which report/dataset_page.h shows (docs/howto/dataset-report.md). Rows come in batches; how
// many of them, by which methods, is decided by its budget of time before the work, and said.
#pragma once

#include "study/dataset_document.h"
#include "study/report.h"

namespace ascribe::core::study {

inline constexpr int64_t kMostSections = 20;  // rows that are a section each; more of them are a data set

struct DatasetRequest {
  ReportRequest report;     // whose methods are {"all"} if nobody chose; metrics and parts are for pages of single rows
  int64_t rows = 500;       // at most; of more, as many are drawn by the seed
  int64_t pages = 12;       // of single rows, beside it, at most
  int64_t batch = 0;        // rows at a time; 0: as their size suggests
  std::string row_command;  // that makes the page of one row, with {row} for its number; empty: not told
};

struct RowPageOf {
  int64_t row = 0;
  document::Document document;
};

struct DatasetReport {
  document::DatasetDocument document;
  std::vector<RowPageOf> pages;
};

DatasetReport report_dataset(const Subject& subject, const DatasetRequest& request);

// How many rows the request is about: those in its data, or those that it chooses among them.
int64_t count_rows(const Subject& subject, const QuestionRequest& request, uint64_t seed);

}  // namespace ascribe::core::study
