#include "api/part_state.h"
#include "report/merged_files.h"
#include "study/parts/explain_part.h"

namespace ascribe {

namespace study = core::study;

study::PartRequest part_request(const std::string& folder, const Options::State& how) {
  study::PartRequest request;
  request.folder = folder;
  if (!how.shard.empty()) request.shard = study::parse_shard(how.shard);
  request.items = how.items;
  request.batch = how.batch;
  request.force = how.force;
  return request;
}

Part seen(study::PartResult result) {
  return {std::move(result.path), result.was_finished, study::count_of(result.items), result.items_of_work,
          result.computed,        result.failed,       std::move(result.first_error), std::move(result.notes)};
}

Part Model::explain_part(const Question& question, const std::vector<Method>& methods, const std::string& folder,
                         const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("explain_part", {"set", "batch", "force", "shard", "items"});
    study::ExplainRequest request{question.state().request, wishes(methods), how.settings, false, how.run};
    return seen(study::explain_part(state_->subject, request, part_request(folder, how)));
  });
}

std::vector<std::string> check_parts(const std::string& folder) {
  return translated([&] { return study::WholeWork(folder).problems(); });
}

std::string parts_json(const std::string& folder) {
  return translated([&] {
    core::Json list = core::Json::list();
    for (const study::FoundPart& part : study::parts_in(folder)) {
      list.push(core::Json::object({{"path", part.path}, {"finished", !part.growing}, {"problem", part.problem}}));
      list.items().back()["header"] = part.header ? to_json(*part.header) : core::Json();
    }
    return list.dump();
  });
}

Merged merge(const std::string& folder, const std::string& out, bool force, const Progress& progress) {
  return translated([&]() -> Merged {
    core::MergeRequest request{out, force, progress ? stoppable(progress) : core::Progress()};
    const core::Watch watch(request.progress);
    const study::WholeWork whole(folder, request.progress);
    core::MergedParts merged = merge_parts(whole, folder, request);
    return {std::move(merged.kind), std::move(merged.files),       merged.samples,
            merged.failed,          std::move(merged.first_error), std::move(merged.notes)};
  });
}

}  // namespace ascribe
