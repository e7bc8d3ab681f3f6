// What explain finds of some rows, as the body of a block of a part (docs/howto/shards.md says how it lies there).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/tensor.h"

namespace ascribe::core::study {

// Who the players of a row are.
struct PartLayout {
  std::string description;  // "grid:4x4"
  Shape row;                // of the explained input
  int64_t players = 0;
  std::vector<std::string> names;  // empty: there are too many
  std::vector<int32_t> owner;      // of each element of the row; -1: nobody's
  friend bool operator==(const PartLayout&, const PartLayout&) = default;
};

// One method on one row.
struct PartAnswer {
  std::string error;                            // why there is no answer; empty: there is
  std::vector<double> values, standard_errors;  // per player; no errors if nothing was sampled
  double residual = 0, baseline_output = 0, degrees_of_freedom = 0;
  int64_t evaluations = 0;
  bool exact = true;
  std::vector<std::string> notes;
};

struct PartRow {
  int64_t number = 0;  // in the data
  std::string name;
  std::string error;    // why nothing is known of it; empty: something is
  size_t layout = 0;    // of the block
  int64_t target = -1;  // which number of the output; -1: several
  std::string about;    // the target in words
  double output = 0, baseline_output = 0;
  std::vector<PartAnswer> answers;  // of each method
};

struct ExplainedRows {
  std::vector<PartLayout> layouts;
  std::vector<PartRow> rows;
  std::vector<std::string> notes;
};

std::string body_of(const ExplainedRows& rows);
// Complains, kind io, of what is not such a body; `where`: of which file.
ExplainedRows explained_rows(const std::string& body, size_t methods, const std::string& where);

}  // namespace ascribe::core::study
