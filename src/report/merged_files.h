// The parts of a work put together into files: what `ascribe merge` does (docs/howto/shards.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "study/evaluate.h"
#include "study/parts/merged_game.h"
#include "study/parts/part_folder.h"

namespace ascribe::core {

struct MergeRequest {
  // Explanations: FILE.npz or FILE.csv, with FILE.json beside it. Evaluations: a folder, FILE.csv or FILE.json, as
  // evaluate writes them. A game: FILE.json, or FILE.npy for the table of all sets. Empty: merged.npz, the folder
  // `merged` or effects.json, among the parts.
  std::string out;
  bool force = false;
  Progress progress = {};
  // Of one huge game: effects that are listed, 0: some thousands; and memory for its values.
  int64_t top = 0;
  size_t memory = size_t{1} << 30;
  // Words of the library in those of whoever writes the files; nothing: as they are.
  std::function<std::string(std::string)> spelled = {};
  std::function<Json(Json)> spelled_document = {};
};

struct MergedParts {
  std::string kind;  // of the work
  std::vector<std::string> files;
  int64_t samples = 0, failed = 0;
  std::string first_error = {};
  std::vector<std::string> notes = {};
  std::optional<study::EvaluateResult> evaluation = {};  // if it is one
  std::optional<study::MergedGame> game = {};
};

// Complains, kind io, unless the parts are all there and belong together; then nothing is written.
MergedParts merge_parts(const study::WholeWork& whole, const std::string& folder, const MergeRequest& request);

}  // namespace ascribe::core
