// All parts of an explained data set as one file, written as they are read: memory is that of a block.
#pragma once

#include "base/progress.h"
#include "study/parts/part_folder.h"

namespace ascribe::core::study {

struct MergedExplanations {
  std::vector<std::string> files;  // that were written
  int64_t samples = 0, failed = 0;
  std::string first_error = {};
  std::vector<std::string> notes = {};
  Json manifest;  // what is beside the arrays
};

// `path`: FILE.npz, with the samples first in every array (numbers, names, targets, outputs, baseline_outputs, failed,
// owner; METHOD, METHOD_standard_error, METHOD_residual, METHOD_baseline_output, METHOD_exact), or FILE.csv, a line for
// each sample and method, if the players are few and the same everywhere. FILE.json beside it has all else.
MergedExplanations merge_explanations(const WholeWork& whole, const std::string& path, bool overwrite,
                                      const Progress& progress = {});

}  // namespace ascribe::core::study
