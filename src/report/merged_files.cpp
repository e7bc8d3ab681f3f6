#include "report/merged_files.h"

#include <filesystem>

#include "base/file.h"
#include "report/evaluation_files.h"
#include "report/merged_game_files.h"
#include "study/parts/evaluate_part.h"
#include "study/parts/game_part.h"
#include "study/parts/merge_explanations.h"

namespace ascribe::core {

namespace {

std::string place_of(const std::string& folder, const MergeRequest& request, const char* usual) {
  return request.out.empty() ? (std::filesystem::path(folder) / usual).string() : request.out;
}

MergedParts merge_evaluation(const study::WholeWork& whole, const std::string& folder, const MergeRequest& request) {
  const std::string path = place_of(folder, request, "merged");
  const bool csv = path.ends_with(".csv"), json = path.ends_with(".json");
  if (path.ends_with(".npz")) {
    fail(ErrorKind::argument, path, "an evaluation is a folder of tables, a .csv or a .json file; got .npz");
  }
  if (!csv && !json) check_folder(path, evaluation_file_names(), request.force);
  MergedParts merged{"evaluate", {path}};
  merged.evaluation = merged_evaluation(whole);
  const study::EvaluateResult& result = *merged.evaluation;
  const Json document = request.spelled_document ? request.spelled_document(to_json(result)) : to_json(result);
  const std::string page = request.spelled ? request.spelled(to_markdown(result)) : to_markdown(result);
  if (csv) write_file(path, summary_table(result).csv(), request.force);
  else if (json) write_file(path, results_document(document).dump() + "\n", request.force);
  else write_folder(path, evaluation_files(result, document, page), request.force);
  merged.samples = result.seen.read;
  merged.failed = result.seen.failed;
  merged.notes = result.notes;
  return merged;
}

MergedParts merge_one_game(const study::WholeWork& whole, const std::string& folder, const MergeRequest& request) {
  GameFilesRequest how{request.out, request.force, {}};
  how.how.memory = request.memory;
  how.how.top = request.top;
  how.how.run.progress = request.progress;
  GameFiles made = merge_game(whole, folder, how);
  MergedParts merged{std::string(study::kGameKind), std::move(made.files), std::ssize(whole.parts())};
  merged.game = std::move(made.game);
  return merged;
}

}  // namespace

MergedParts merge_parts(const study::WholeWork& whole, const std::string& folder, const MergeRequest& request) {
  whole.check();
  const std::string& kind = whole.header().kind;
  if (kind == "evaluate") return merge_evaluation(whole, folder, request);
  if (kind == study::kGameKind) return merge_one_game(whole, folder, request);
  if (kind != "explain") fail(ErrorKind::unsupported, folder, "parts of kind '{}' cannot be put together here", kind);
  study::MergedExplanations merged =
      study::merge_explanations(whole, place_of(folder, request, "merged.npz"), request.force, request.progress);
  return {kind,          std::move(merged.files),       merged.samples,
          merged.failed, std::move(merged.first_error), std::move(merged.notes)};
}

}  // namespace ascribe::core
