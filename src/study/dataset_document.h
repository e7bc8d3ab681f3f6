// The report on many rows as values: written by study/dataset_report.h, shown by report/dataset_page.h. Its file has
// the form of reports (study/document.h) with a format name of its own; what it holds is bounded, however many rows
// there are: lists of features, of rows that are drawn and of rows that are named all have an end.
#pragma once

#include "study/document.h"

namespace ascribe::core::document {

// A mean over rows, with the ends of its 95 % interval: mean +- t * standard error.
struct Mean {
  Number mean, low, high;
};

// A column, a cell of the image, a segment of a series.
struct Feature {
  std::string name;
  bool number = true;                   // one number per row; otherwise it has no value to show
  std::vector<std::string> categories;  // of codes, by code; empty: they are numbers
  Number low, high;                     // of the values: 5 % and 95 % of the rows lie beyond
};

// A method over all rows.
struct DatasetMethod {
  std::string name, title, kind = "contribution";
  Facts parameters;
  std::vector<std::string> holds;  // what it promises, in words
  bool complete = false;           // it promises that its values add up
  std::vector<Mean> magnitudes;    // of every feature
  std::vector<Number> means;       // with their signs
  Mean infidelity;                 // over `tested` rows; nothing: not measured
  Number mean_miss, worst_miss;    // what is missing of the change, as a share of the strength
  int64_t rows = 0;                // that it explained
  Number seconds;
  std::vector<std::string> notes;

  bool contributes() const { return kind == "contribution"; }
};

struct OutputClass {
  std::string name;
  int64_t rows = 0;
  Number mean;  // of the explained number
};

// What the model says of the rows.
struct Outputs {
  std::string explains = "value", name;
  Number least, median, most, mean;
  std::vector<OutputClass> classes;           // the most frequent first; empty: the model gives values
  int64_t other_classes = 0, other_rows = 0;  // that are not listed
  std::vector<double> edges;                  // of a histogram
  std::vector<int64_t> counts;
};

// A row that is drawn.
struct ShownRow {
  int64_t number = 0;  // in the data
  std::string source, target;
  Number output;
  std::vector<Number> values;                     // of the features that are drawn
  std::vector<std::vector<Number>> attributions;  // of every method, of the same features
};

struct Dependence {
  size_t feature = 0;  // among those that are drawn
  std::optional<size_t> partner;
  Number strength;   // of what the two do together: a share of the feature's strength, or a correlation
  std::string rule;  // how the partner was found: "effects" or "values"; empty: there is none
};

struct ExplanationGroup {
  int64_t rows = 0;
  int64_t typical = 0;  // number of the row in its middle
  std::string typical_source;
  std::vector<Number> means;                    // of every feature: shares of the strength, with their signs
  Number output_mean, output_low, output_high;  // of the middle 90 %
  std::vector<OutputClass> classes;             // that the model says most often
  std::optional<Image> picture;                 // the mean input, of images
  std::vector<Image> examples;                  // the typical row first
};

struct GroupList {
  int64_t drawn = 0;    // rows that the groups were found with
  int64_t without = 0;  // rows of which the method says that nothing matters
  Number silhouette;
  bool clear = false;  // otherwise there are no groups to speak of
  std::vector<ExplanationGroup> groups;
};

struct DatasetSpectrum {
  int64_t rows = 0, undefined = 0;   // rows in which nothing happens have no shares
  std::vector<std::string> players;  // features; the last may stand for all others
  bool rest = false;                 // it does
  std::vector<Mean> orders;          // shares of the strength: single features, pairs, ...
};

// A row that is named for a reason.
struct ListedRow {
  int64_t number = 0;
  std::string source, target;
  Number output, measure;     // what it is listed by
  std::string first, second;  // methods
  std::optional<Image> picture;
};

struct FailedRow {
  int64_t number = 0;
  std::string source, reason;
};

struct WordStrength {
  std::string word;
  int64_t rows = 0;
  Mean magnitude;
  Number mean;
};

inline constexpr double kSmallMiss = 0.01;  // of the strength: values that miss less add up

struct DatasetDocument {
  Document head;  // title, model, settings, time, notes; no rows
  RowKind kind = RowKind::table;
  std::string data;  // what it is
  int64_t rows_in_data = 0, rows_wanted = 0, rows_explained = 0;
  std::string sampling;              // how the rows were chosen, in words
  std::string baseline, noun;        // what is compared with; "column"
  std::vector<size_t> far_baseline;  // features whose baseline is far from all values in the rows
  Outputs outputs;
  std::vector<Feature> features;
  std::vector<size_t> drawn;  // the strongest features, the strongest first
  std::vector<DatasetMethod> methods;
  std::vector<LeftOut> left_out;
  std::string choice;  // how the methods were chosen, in words
  size_t trusted = 0;  // of the methods
  std::string trust;   // why, in words
  int64_t tested = 0;  // rows that infidelity was measured on
  Matrix agreement;    // of methods that contribute: 1 less the share of the strength that they place differently
  std::vector<std::string> agreeing;  // their names
  Mean agreement_mean;
  std::vector<ShownRow> shown;
  std::vector<Dependence> dependences;
  std::optional<GroupList> groups;
  std::optional<DatasetSpectrum> spectrum;
  std::vector<ListedRow> disagreements, misses;
  Number misses_of_promised;  // the worst miss of methods that promise to add up
  std::vector<FailedRow> failed;
  int64_t failed_rows = 0;  // also those that are not listed
  std::vector<WordStrength> words;
  std::optional<Image> picture;  // the mean input, of images
  std::vector<int32_t> owner;    // the feature of each of its pixels
  std::vector<Absent> absent;
  std::vector<int64_t> pages;  // rows that have a page of their own
  std::string folder;          // where they are, beside this page; empty: nowhere
  std::string row_command;     // that makes one, with {row} for the number; empty: not told

  const DatasetMethod& trusted_method() const { return methods[trusted]; }
};

Json to_json(const DatasetDocument& document);
std::string file_text(const DatasetDocument& document);  // of its file
bool is_dataset(const Json& json);                       // by its format
// Checked as document_from does.
DatasetDocument dataset_from(const Json& json, std::string_view where);

void each_note(DatasetDocument& document, const std::function<void(std::string& note)>& change);

}  // namespace ascribe::core::document
