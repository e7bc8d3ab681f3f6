#include <ascribe/replay.h>

#include "api/state.h"
#include "base/file.h"
#include "study/records/replay.h"

namespace ascribe {

static constexpr size_t kLargestRecord = size_t{1} << 31;

struct Replay::State {
  core::study::ReplayResult result;
};

namespace {

// `where`: the record's own file, for complaints and to find others beside it.
Replay replayed(const std::string& text, const std::string& where, const std::vector<std::string>& files,
                const Options::State& how) {
  how.check("replay", {"batch"});
  core::study::ReplayRequest request;
  request.document = core::parse_json(text, where);
  request.where = where;
  for (const std::string& file : files) {
    const size_t equals = file.find('=');
    if (equals == std::string::npos || equals == 0) {
      core::fail(core::ErrorKind::argument, "files", "got '{}'; expected ROLE=FILE", file);
    }
    request.replaced[file.substr(0, equals)].push_back(file.substr(equals + 1));
  }
  if (how.given.contains("batch")) request.batch = how.batch;
  request.run = how.run;
  return Replay(std::make_shared<const Replay::State>(Replay::State{core::study::replay(request)}));
}

}  // namespace

Replay v1::replay(const std::string& path, const std::vector<std::string>& files, const Options& options) {
  return translated([&] { return replayed(core::read_file(path, kLargestRecord), path, files, options.state()); });
}

Replay v1::replay_record(const std::string& record_json, const std::vector<std::string>& files,
                         const Options& options) {
  return translated([&] { return replayed(record_json, "record", files, options.state()); });
}

ReplayAnswer Replay::answer() const {
  if (!state_->result.computed) return ReplayAnswer::not_possible;
  switch (state_->result.comparing.agreement) {
    case core::study::Agreement::same: return ReplayAnswer::same;
    case core::study::Agreement::within: return ReplayAnswer::within_tolerance;
    case core::study::Agreement::different: break;
  }
  return ReplayAnswer::different;
}

std::vector<std::string> Replay::changed() const {
  std::vector<std::string> paths;
  for (const core::study::CheckedContent* one : state_->result.changed()) {
    const core::study::Content& recorded = one->recorded;
    paths.push_back(!one->path.empty() ? one->path : recorded.name.empty() ? recorded.role : recorded.name);
  }
  return paths;
}

std::string Replay::json() const { return to_json(state_->result).dump(); }

}  // namespace ascribe
