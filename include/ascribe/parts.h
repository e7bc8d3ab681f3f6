// Work over a data set in parts, by several processes, and the parts put together (docs/howto/shards.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ascribe/export.h>
#include <ascribe/question.h>
#include <ascribe/results.h>

namespace ascribe {
inline namespace v1 {

// What Model::explain_part and evaluate_part made: a file of its own; decompose_part makes several, in `path`.
struct Part {
  std::string path;           // empty: the shard has no samples
  bool was_finished = false;  // by an earlier run; it was checked
  int64_t samples = 0;        // of this part
  int64_t samples_of_work = 0;
  int64_t computed = 0;  // by this run
  int64_t failed = 0;    // samples with an error in place of some or all of the results
  std::string first_error;
  std::vector<std::string> notes;
};

// What is wrong with the parts of a folder: those that are damaged, unfinished, of other work or doubled, and samples
// that are missing. Empty: they are all of a work.
ASCRIBE_API std::vector<std::string> check_parts(const std::string& folder);

// The headers of all parts in the folder, as a JSON list of {path, finished, header, problem}; their blocks are not
// read.
ASCRIBE_API std::string parts_json(const std::string& folder);

struct Merged {
  std::string kind;  // "explain", "evaluate" or "game"
  std::vector<std::string> files;
  int64_t samples = 0, failed = 0;
  std::string first_error;
  std::vector<std::string> notes;
};

// `out`: of explanations FILE.npz or FILE.csv, with FILE.json beside it; of evaluations a folder, FILE.csv or
// FILE.json. Empty: among the parts. Throws, and writes nothing, unless every sample is there once and whole.
ASCRIBE_API Merged merge(const std::string& folder, const std::string& out = {}, bool force = false,
                         const Progress& progress = {});

// As evaluate would give it for all samples at once.
ASCRIBE_API Evaluation merged_evaluation(const std::string& folder);

}  // namespace v1
}  // namespace ascribe
