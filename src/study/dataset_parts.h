// A report on many rows at work: what is known of each row, and the parts that are made of it.
#pragma once

#include "study/affordable.h"
#include "study/dataset_report.h"
#include "study/explain.h"
#include "study/row_stream.h"

namespace ascribe::core::study {

// What is kept of a row: a few numbers, whatever the row is.
struct RowRecord {
  int64_t number = 0;
  std::string source, target;
  bool classes = false;  // the model says classes, and this is one
  double output = 0, baseline_output = 0;
  std::vector<double> values;                     // of features that are one number; not a number: they are not
  std::vector<std::vector<double>> attributions;  // [method]
  std::vector<double> residuals;                  // [method]
  std::vector<std::string> words;                 // names of the players, of rows whose players differ
};

// A row of which everything is kept, for what is measured on a few.
struct KeptRow {
  RowQuestion question;
  std::vector<Attribution> attributions;  // [method]
};

struct StudiedRows {
  std::vector<ChosenMethod> methods;
  std::vector<double> seconds;  // of each, for all rows
  std::vector<std::vector<std::string>> notes;
  std::vector<LeftOut> left_out;
  std::string choice;
  std::vector<RowRecord> rows;  // in the order of their numbers
  std::vector<KeptRow> kept;
  std::vector<RowFailure> failures;
  bool common = true;  // all rows have the same features
};

struct DatasetWork {
  const DatasetRequest& request;
  QuestionRequest& question;  // with the players that were chosen
  RowStream& stream;
  ExplainedModel& model;
  int64_t work_per_row = 0;
  Running& running;
  Spending& spending;
  Pace pace;
};

// ---- methods (dataset_methods.cpp) ----

// Those that are asked for; or the usual ones: what holds all properties that a method can promise, and beside it the
// cheapest that masks and the cheapest that does not among those that ignore what has no influence.
std::vector<ChosenMethod> methods_for_rows(const DatasetWork& work, const RowQuestion& first, int64_t rows,
                                           std::string& choice);
std::vector<std::string> promises_of(const Method& method);  // in words
int count_promises(const Method& method);

// Measures infidelity on the kept rows, and says which method to trust.
void choose_trusted(document::DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work);

// ---- rows (dataset_rows.cpp) ----

// Numbers of the rows that are explained, and how they were chosen.
struct ChosenRows {
  std::vector<int64_t> numbers;  // in the order of the work
  int64_t among = 0;
  std::string words;
};
ChosenRows choose_rows(const DatasetWork& work);
StudiedRows study_rows(const DatasetWork& work, const ChosenRows& rows, const RowQuestion& first);

// ---- parts (dataset_summary.cpp, dataset_effects.cpp, dataset_groups.cpp) ----

document::Mean mean_of(std::span<const double> values);
// The value that this share of the numbers does not exceed.
double quantile(std::vector<double> values, double share);
// Outputs, features, methods, agreement, rows that are drawn and named.
void add_summaries(document::DatasetDocument& document, const StudiedRows& studied, const RowQuestion& first);
// Everything that needs to know which method is trusted.
void add_rows(document::DatasetDocument& document, const StudiedRows& studied);
// Orders of effects, and partners of the strongest features.
void add_effects(document::DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work,
                 const Subject& subject);
void add_groups(document::DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work);
std::vector<document::OutputClass> classes_of(std::span<const RowRecord* const> rows);
// Of images: pictures of the rows that are named.
void add_pictures(document::DatasetDocument& document, const DatasetWork& work);
Image small_picture(const RowQuestion& question);

}  // namespace ascribe::core::study
